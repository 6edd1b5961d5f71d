import type { Plugin } from "vite";

/** All of one problem. */
const SPEC = /\{\s*code:\s*(\d[\de]*),\s*httpStatus:\s*\d+,\s*retry:\s*"\w+",\s*text:\s*"(?:[^"\\]|\\.)*",?\s*\}/g;

/**
 * A page knows a problem by its code, and chooses its text by that in the player's language: what else the platform says of problems stays out of
 * the first load.
 */
export function onlyProblemCodes(): Plugin {
  return {
    name: "longarm-only-problem-codes",
    apply: "build",
    transform: {
      filter: { id: /packages\/contract\/src\/problems\.ts$/ },
      handler(code) {
        const [specs = "", ...rest] = code.split(/(?=export type ProblemName\b|export const COUNTDOWN_CODES\b)/);
        const plain = specs.replaceAll(SPEC, "{ code: $1 }");
        const all = [...specs.matchAll(/\bcode:\s*\d/g)].length;
        if (all === 0 || [...plain.matchAll(/\{ code: \d[\de]* \}/g)].length !== all)
          this.error("problems.ts is not written as it was: is this plugin still right?");
        return { code: [plain, ...rest].join(""), map: null };
      },
    },
  };
}
