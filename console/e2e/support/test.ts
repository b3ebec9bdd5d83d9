// What every test stands on: the address of the server, and a page that fails its test when the
// console errs, or asks anybody but its own server.
import { test as base, expect } from "@playwright/test";

export { expect };

export const test = base.extend<{ watched: undefined }>({
  // biome-ignore lint/correctness/noEmptyPattern: the first parameter has to be a pattern
  baseURL: async ({}, use) => {
    await use(process.env.SEXTANT_CONSOLE_URL ?? "");
  },
  watched: [
    async ({ page, baseURL }, use) => {
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
      page.on("console", (message) => {
        // A refusal of the API is shown by the page; the browser logs it on its own.
        if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
          faults.push(message.text());
      });
      page.on("dialog", (dialog) => {
        faults.push(`a name became a program: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on("request", (request) => {
        const url = request.url();
        if (!url.startsWith(`${baseURL}/`) && !/^(blob|data|about):/.test(url)) faults.push(`asked ${url}`);
      });
      await use(undefined);
      expect(faults).toEqual([]);
    },
    { auto: true },
  ],
});
