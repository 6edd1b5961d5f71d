import type { Problem, ProblemName } from "@longarm/contract/problems";
import { problemOfCode, problems } from "@longarm/contract/problems";

/** A refusal as it came over the wire. `name` is set when the code is in our catalogue. */
export type Refusal = {
  readonly code: number | string;
  readonly reason: string;
  readonly params: Readonly<Record<string, string | number>>;
  readonly name: ProblemName | undefined;
};

/** Why an outcome is unknown: the other end may have done it or not. */
export type UnknownCause = "deadline" | "closed" | "malformed";

/** The outcome of a request. `unknown` is a state with its own handling, never taken for `refused`. */
export type Answer<T> =
  | { readonly is: "done"; readonly data: T }
  | { readonly is: "refused"; readonly refusal: Refusal }
  | { readonly is: "unknown"; readonly cause: UnknownCause };

/** What a handler gives back. */
export type Handled<T> =
  | { readonly is: "done"; readonly data: T }
  | { readonly is: "refused"; readonly problem: Problem };

export function done<T>(data: T): Handled<T> {
  return { is: "done", data };
}

export function refused(name: ProblemName, more: Omit<Problem, "name"> = {}): { is: "refused"; problem: Problem } {
  return { is: "refused", problem: { name, ...more } };
}

export function refusalOf(code: number | string, reason: string, params: Refusal["params"] = {}): Refusal {
  const number = Number(code);
  return { code, reason, params, name: Number.isInteger(number) ? problemOfCode(number) : undefined };
}

/** The fields of a refused response for one of our problems. */
export function refusalFields(problem: Problem): {
  errorCode: number;
  errorReason: string;
  errorParams?: Refusal["params"];
} {
  const spec = problems[problem.name];
  return {
    errorCode: spec.code,
    errorReason: problem.detail ?? spec.text,
    ...(problem.params === undefined ? {} : { errorParams: problem.params }),
  };
}
