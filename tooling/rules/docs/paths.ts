const NAMED = /`((?:apps|packages|launcher|tooling|e2e|bench|proof|rig|deploy)\/[^`\s]+)`/g;
/** Made by commands, so that a fresh clone does not have them. */
const MADE = /(^|\/)(dist|data|node_modules)(\/|$)/;

/** The repository's paths that a page names in code font or in a layout, without wildcards and with braces expanded. */
export function pathsIn(page: string): string[] {
  const found = [...page.matchAll(NAMED)].map((match) => match[1] ?? "");
  return found
    .filter((path) => !/[*<>…$]/.test(path) && !MADE.test(path))
    .flatMap(expandBraces)
    .map((path) => path.replace(/[#:].*$/, "").replace(/\/$/, ""));
}

/** `a/{b,c}` → `a/b`, `a/c`. */
function expandBraces(path: string): string[] {
  const [whole, before = "", choices = "", after = ""] = /^(.*?)\{([^}]*)\}(.*)$/.exec(path) ?? [];
  if (whole === undefined) return [path];
  return choices.split(",").flatMap((choice) => expandBraces(`${before}${choice.trim()}${after}`));
}

/** The sources that a page names in code font by the end of their path: `…/play/rooms.ts` or `rooms.ts`. */
export function pathEndingsIn(page: string): string[] {
  return [...page.matchAll(/`(?:[^`\s]*…\/)?([\w.][\w./-]*\.(?:ts|tsx|css|sql))`/g)].map((match) => match[1] ?? "");
}
