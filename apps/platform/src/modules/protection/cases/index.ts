export type { CaseRow, FoundSign, Sign, StepRow } from "./cases.ts";
export {
  addStep,
  closeCase,
  eraseWords,
  hasOpenCase,
  keepSigns,
  listCases,
  lockCase,
  openCaseByHand,
  stepsOf,
  waitingCases,
  wordsKept,
} from "./cases.ts";
export { hasLetter, letterDrafts, letterFrom, sendLetter } from "./letters.ts";
export { createLetters } from "./player-routes.ts";
