export type { CallChange, CallRow, Calls, CallsTables } from "./calls.ts";
export { answerCall, CALL_LIMITS, closeCall, createCalls, listCalls } from "./calls.ts";
