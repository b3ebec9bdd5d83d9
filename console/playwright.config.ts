import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "e2e",
  outputDir: "test-results",
  fullyParallel: true,
  workers: 2,
  // A test that passes the second time has a fault all the same.
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [["list"]],
  globalSetup: "./e2e/support/house.ts",
  use: {
    viewport: { width: 1440, height: 900 },
    colorScheme: "light",
    timezoneId: "UTC",
    locale: "en-GB",
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      // Chromium's own sandbox does not work for root, whom containers run as.
      args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
    },
    screenshot: "only-on-failure",
    trace: "retain-on-failure",
  },
});
