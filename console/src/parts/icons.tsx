// Small line drawings. A word stands beside each or is read in its place.
import type { ReactNode } from "react";

function Icon({ children, size = 16 }: { children: ReactNode; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {children}
    </svg>
  );
}

export const CopyIcon = () => (
  <Icon size={14}>
    <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
    <path d="M10.5 3.5v-.5a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1h.5" />
  </Icon>
);
export const CheckIcon = () => (
  <Icon size={14}>
    <path d="m3 8.5 3.2 3L13 4.5" />
  </Icon>
);
export const CloseIcon = () => (
  <Icon>
    <path d="m4 4 8 8M12 4l-8 8" />
  </Icon>
);
export const UndoIcon = () => (
  <Icon>
    <path d="M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M3 6.5 6 3.5M3 6.5l3 3" />
  </Icon>
);
export const RedoIcon = () => (
  <Icon>
    <path d="M13 6.5H6.5a3.5 3.5 0 0 0 0 7H10M13 6.5l-3-3M13 6.5l-3 3" />
  </Icon>
);
export const FitIcon = () => (
  <Icon>
    <path d="M2.5 5.5v-3h3M10.5 2.5h3v3M13.5 10.5v3h-3M5.5 13.5h-3v-3" />
  </Icon>
);
export const FullIcon = () => (
  <Icon>
    <path d="M9.5 2.5h4v4M6.5 13.5h-4v-4M13.5 2.5 9 7M2.5 13.5 7 9" />
  </Icon>
);
export const TidyIcon = () => (
  <Icon>
    <rect x="1.8" y="6.2" width="4" height="3.6" rx=".8" />
    <rect x="10.2" y="2" width="4" height="3.6" rx=".8" />
    <rect x="10.2" y="10.4" width="4" height="3.6" rx=".8" />
    <path d="M5.8 8h2.4M8.2 3.8h2M8.2 12.2h2M8.2 3.8v8.4" />
  </Icon>
);
export const ThemeIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="5.5" />
    <path d="M8 2.5a5.5 5.5 0 0 1 0 11Z" fill="currentColor" />
  </Icon>
);
export const MarkIcon = () => (
  <svg
    aria-hidden="true"
    width="22"
    height="22"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.7"
  >
    <path d="M12 3 4 18.5A11 11 0 0 0 20 18.5L12 3Z" />
    <path d="m12 3 3.6 17.6" />
    <circle cx="12" cy="3.6" r="1.6" fill="var(--accent-line)" stroke="none" />
  </svg>
);
