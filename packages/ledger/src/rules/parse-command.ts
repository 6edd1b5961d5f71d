import * as z from "zod/mini";
import type { Refused } from "./outcome.ts";
import { refuse } from "./outcome.ts";

/** Reads a command by its schema. A wrong amount has its own refusal, since a player can cause it. */
export function parseCommand<Output>(
  schema: z.ZodMiniType<Output>,
  command: unknown,
): { is: "read"; command: Output } | Refused {
  const read = z.safeParse(schema, command);
  if (read.success) return { is: "read", command: read.data };
  const [issue] = read.error.issues;
  const at = issue?.path.join(".") ?? "";
  if (read.error.issues.every(({ path }) => path[0] === "amountMinor")) return refuse("transfer.amount_outside_limits");
  return refuse("request.malformed", `${at || "command"}: ${issue?.message ?? "malformed"}`);
}
