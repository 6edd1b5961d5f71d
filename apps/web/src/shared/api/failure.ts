/** A field that a failure names (decision D-53). */
export type FieldFailure = { readonly type: "username" | "email" | "password"; readonly message: string };

/**
 * Why a call failed. `refused`: the platform said no; `unauthorised`: it does not know our token any more, or
 * the player is banned; `network`: no answer came;
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

/** A sentence of a platform that is longer than this is cut, characters: it is shown in a message or under a field. */
const SENTENCE_LENGTH_MAX = 400;

/** Reads a failure out of whatever an answer carried, each part for itself: a strange one must not cost the others. */
export function readFailure(is: ApiFailure["is"], httpStatus: number, answer: unknown): ApiFailure {
  const { code: sent, ErrorMessage, Params, ...rest } = isObject(answer) ? answer : {};
  const code = codeOf(sent);
  return {
    is,
    httpStatus,
    ...(code === undefined ? {} : { code }),
    ...(typeof ErrorMessage === "string" && ErrorMessage !== "" ? { message: shortened(ErrorMessage) } : {}),
    params: textParams(Params),
    // Field errors come as a list in one of these, as the platform likes (decision D-53).
    fields: [rest["errors"], rest["error"], Params].flatMap(fieldsIn),
  };
}

/** 10701, "10701" and "CODE_18800" are codes. */
function codeOf(sent: unknown): number | undefined {
  if (typeof sent === "number") return Number.isSafeInteger(sent) ? sent : undefined;
  const digits = typeof sent === "string" ? /^(?:CODE_)?(\d{1,9})$/.exec(sent)?.[1] : undefined;
  return digits === undefined ? undefined : Number(digits);
}

/** An answer is a failure by its HTTP status, a false `status`, or an `ErrorMessage` (contract.md section 2). */
export function isFailure(httpStatus: number, answer: unknown): boolean {
  if (httpStatus < 200 || httpStatus > 299) return true;
  if (!isObject(answer)) return false;
  return ("status" in answer && answer.status === false) || ("ErrorMessage" in answer && Boolean(answer.ErrorMessage));
}

function fieldsIn(list: unknown): FieldFailure[] {
  return Array.isArray(list)
    ? list.filter(isField).map(({ type, message }) => ({ type, message: shortened(message) }))
    : [];
}

function isField(entry: unknown): entry is FieldFailure {
  if (!isObject(entry)) return false;
  const { type, message } = entry;
  return (type === "username" || type === "email" || type === "password") && typeof message === "string";
}

function textParams(params: unknown): Record<string, string | number> {
  if (!isObject(params) || Array.isArray(params)) return {};
  const plain: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(params)) {
    if (typeof value === "number") plain[name] = value;
    if (typeof value === "string") plain[name] = shortened(value);
  }
  return plain;
}

function shortened(text: string): string {
  return text.length > SENTENCE_LENGTH_MAX ? `${text.slice(0, SENTENCE_LENGTH_MAX)}…` : text;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
