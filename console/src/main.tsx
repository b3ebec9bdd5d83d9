import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { AskError } from "./api/ask";
import { App } from "./app/App";
import "./design/fonts.css";
import "./design/tokens.css";
import "./design/base.css";
import "./design/controls.css";

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // What the server refused it refuses again; what did not arrive may arrive.
      retry: (times, error) => times < 2 && error instanceof AskError && (error.status === 0 || error.status >= 500),
      refetchOnWindowFocus: false,
    },
  },
});

const place = document.getElementById("console");
if (place) {
  createRoot(place).render(
    <StrictMode>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={client}>
          <App />
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  );
}
