import * as z from "zod/mini";
import { Fault, OpenGame, TransferRecord } from "./state.ts";

const at = { at: z.number() };

/** What can change a machine, one durable line each. `at`: the machine's clock, ms since 1970. */
export const Entry = z.discriminatedUnion("do", [
  z.object({ do: z.literal("power"), ...at }),
  z.object({ do: z.literal("transfer"), ...at, record: TransferRecord }),
  z.object({ do: z.literal("gameStart"), ...at, game: OpenGame }),
  z.object({ do: z.literal("bonusStart"), ...at }),
  z.object({ do: z.literal("bonusEnd"), ...at }),
  z.object({ do: z.literal("gameEnd"), ...at, handPayFrom: z.number() }),
  z.object({ do: z.literal("handPayReset"), ...at, id: z.string() }),
  z.object({ do: z.literal("bet"), ...at, band: z.number(), step: z.number() }),
  z.object({ do: z.literal("disabled"), ...at, value: z.boolean() }),
  /** `code` null: the fault ends. */
  z.object({ do: z.literal("fault"), ...at, kind: Fault, code: z.nullable(z.string()) }),
  /** As an older version wrote faults. */
  z.object({ do: z.literal("door"), ...at, open: z.boolean() }),
  z.object({ do: z.literal("tilt"), ...at, code: z.nullable(z.string()) }),
  z.object({ do: z.literal("attendant"), ...at }),
  z.object({ do: z.literal("ack"), ...at, seqs: z.array(z.number()) }),
]);
export type Entry = z.infer<typeof Entry>;
