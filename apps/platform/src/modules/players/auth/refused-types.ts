import type { ProblemName } from "@longarm/contract/problems";
import type { AuditType } from "../../records/audit/index.ts";

/** What the log calls a refused sign-in; a limit that was hit is told elsewhere. */
export const REFUSED_TYPES = {
  "auth.wrong_counted": "loginFail",
  "auth.wrong": "loginFail",
  "auth.protected": "temporaryBlocked",
  "auth.banned": "notAllowed",
  "auth.ip_not_permitted": "notAllowed",
} as const satisfies Readonly<Partial<Record<ProblemName, AuditType>>>;
export type RefusedProblem = keyof typeof REFUSED_TYPES;
