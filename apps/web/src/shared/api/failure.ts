import { Failure } from "@longarm/contract/http";
import * as z from "zod/mini";

/** A field that a failure names (decision D-53). */
export type FieldFailure = { readonly type: "username" | "email" | "password"; readonly message: string };

/**
 * Why a call failed. `refused`: the platform said no; `unauthorised`: it does not know our token any more; `network`: no answer came;
 * `malformed`: an answer came that the contract does not know.
 */
export type ApiFailure = {
  readonly is: "refused" | "unauthorised" | "network" | "malformed";
  /** 0 when there was no answer. */
  readonly httpStatus: number;
  readonly code?: number;
  /** `ErrorMessage` of the answer: shown only when no text of ours fits the code. */
  readonly message?: string;
  readonly params: Readonly<Record<string, string | number>>;
  readonly fields: readonly FieldFailure[];
};

/** A failed call as an exception, for those who need one (the query cache). */
export class ApiError extends Error {
  readonly failure: ApiFailure;
  constructor(failure: ApiFailure) {
    super(`The call failed: ${failure.is} ${failure.httpStatus} ${failure.code ?? ""}`);
    this.name = "ApiError";
    this.failure = failure;
  }
}

export const networkFailure: ApiFailure = { is: "network", httpStatus: 0, params: {}, fields: [] };

/** Reads a failure out of whatever an answer carried. */
export function readFailure(is: ApiFailure["is"], httpStatus: number, answer: unknown): ApiFailure {
  const read = z.safeParse(Failure, answer);
  if (!read.success) return { is, httpStatus, params: {}, fields: fieldsOf(answer) };
  const { code, ErrorMessage, Params } = read.data;
  return {
    is,
    httpStatus,
    ...(code === undefined ? {} : { code }),
    ...(ErrorMessage === undefined ? {} : { message: ErrorMessage }),
    params: textParams(Params),
    fields: fieldsOf(answer),
  };
}

/** An answer is a failure by its HTTP status, a false `status`, or an `ErrorMessage` (contract.md section 2). */
export function isFailure(httpStatus: number, answer: unknown): boolean {
  if (httpStatus < 200 || httpStatus > 299) return true;
  if (typeof answer !== "object" || answer === null) return false;
  return ("status" in answer && answer.status === false) || ("ErrorMessage" in answer && Boolean(answer.ErrorMessage));
}

/** Field errors come as a list in `errors`, `error` or `Params`, as the platform likes. */
function fieldsOf(answer: unknown): FieldFailure[] {
  if (typeof answer !== "object" || answer === null) return [];
  for (const key of ["errors", "error", "Params"] as const) {
    const list = (answer as Record<string, unknown>)[key];
    if (Array.isArray(list)) return list.filter(isField);
  }
  return [];
}

function isField(entry: unknown): entry is FieldFailure {
  if (typeof entry !== "object" || entry === null) return false;
  const { type, message } = entry as Record<string, unknown>;
  return (type === "username" || type === "email" || type === "password") && typeof message === "string";
}

function textParams(params: Record<string, unknown> | undefined): Record<string, string | number> {
  const entries = Object.entries(params ?? {});
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string | number] => ["string", "number"].includes(typeof entry[1])),
  );
}
