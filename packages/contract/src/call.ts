import type * as z from "zod/mini";

/** One HTTP call of the contract: what is sent, and what is answered. */
export type Call = {
  readonly method: "GET" | "POST" | "PUT";
  /** Relative to the API base (`/v1/`), with `{param}` parts. */
  readonly path: string;
  readonly query?: z.ZodMiniType;
  readonly body?: z.ZodMiniType;
  readonly answer: z.ZodMiniType;
  /** Called without a token. */
  readonly open?: true;
};
