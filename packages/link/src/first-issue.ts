import type * as z from "zod/mini";

/** One sentence of what is wrong with a message: method, field, reason. */
export function firstIssue(method: string, error: z.core.$ZodError): string {
  const issue = error.issues[0];
  return `"${method}": ${issue?.path.join(".") || "data"} ${issue?.message ?? "is not valid"}`.slice(0, 200);
}
