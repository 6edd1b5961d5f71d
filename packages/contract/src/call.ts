import type * as z from "zod/mini";

/** One HTTP call of the contract: what is sent, and what is answered. */
export type Call = {
  readonly method: "GET" | "POST" | "PUT";
  /** Relative to the API base (`/v1/`), with `{param}` parts. */
  readonly path: string;
  /** The platform alone reads this and `body`: the builds of pages leave them out (`packages/ui/build/contract-of-pages.ts`). */
  readonly query?: z.ZodMiniType;
  readonly body?: z.ZodMiniType;
  readonly answer: z.ZodMiniType;
  /** Called without a token. */
  readonly open?: true;
};

/** The success code of the specification's catalogue. */
export const CODE_OK = 20000;
