export type { CheckAnswer, CheckTables, OpenCheck } from "./checks.ts";
export {
  answerCheck,
  answerOpenCheck,
  checkEvery,
  checksOfAll,
  chooseCheck,
  isChecked,
  mayChoose,
  openCheck,
} from "./checks.ts";
