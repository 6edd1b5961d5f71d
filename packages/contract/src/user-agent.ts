const BROWSERS = [
  ["Edg", "Edge"],
  ["OPR", "Opera"],
  ["Firefox", "Firefox"],
  ["Chrome", "Chrome"],
  ["Safari", "Safari"],
] as const;
const SYSTEMS = ["iPhone", "iPad", "Android", "Windows", "Mac", "CrOS", "Linux"] as const;

/** What a user agent runs on: names that all languages share; empty: not known. */
export const systemOf = (agent: string): string => {
  const found = SYSTEMS.find((system) => agent.includes(system)) ?? "";
  return found === "CrOS" ? "ChromeOS" : found;
};

/** Browser and system of a user agent, `Chrome, Windows`. */
export function deviceOf(agent: string): string {
  const [, browser = ""] = BROWSERS.find(([mark]) => agent.includes(mark)) ?? [];
  return [browser, systemOf(agent)].filter((part) => part !== "").join(", ");
}
