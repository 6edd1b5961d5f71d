const SYSTEMS = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "Mac"],
  [/CrOS/, "Chromebook"],
  [/Linux/, "Linux"],
] as const;
const BROWSERS = [
  [/Edg\//, "Edge"],
  [/Firefox\//, "Firefox"],
  [/HeadlessChrome|Chrome\//, "Chrome"],
  [/Safari\//, "Safari"],
] as const;

const named = (agent: string, names: readonly (readonly [RegExp, string])[]): string | undefined =>
  names.find(([sign]) => sign.test(agent))?.[1];

/** A browser and its system in two words, of what it says of itself: "Chrome, Windows". Another kind of browser keeps its own words. */
export function deviceLabel(agent: string): string {
  const parts = [named(agent, BROWSERS), named(agent, SYSTEMS)].filter((part) => part !== undefined);
  return parts.join(", ") || agent.slice(0, 60);
}
