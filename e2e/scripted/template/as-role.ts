import type { Page } from "playwright-core";

/**
 * Draws the page for another client role: `before: asRole("admin")`. Every player's role is `user` (row R-1-02) and there is no door to another one,
 * so the page's own script is changed on its way to the browser. The role is only drawn: the platform judges by the token.
 */
export const asRole = (role: "admin" | "staff") => async (page: Page) => {
  await page.route("**/assets/*.js", async (route) => {
    try {
      const response = await route.fetch();
      const script = await response.text();
      await route.fulfill({ response, body: script.replace(/role:\[(["'`])user\1\]/, `role:["${role}"]`) });
    } catch {
      // The page was left or closed meanwhile, and its script is no longer needed.
    }
  });
};
