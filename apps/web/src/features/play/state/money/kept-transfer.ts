import { TransferId } from "@longarm/contract/ids";
import { PositiveMinor } from "@longarm/contract/money";
import * as z from "zod/mini";
import type { Storage } from "../../../../shared/storage/storage.ts";
import { STORAGE_KEYS } from "../../../../shared/storage/storage.ts";
import type { OpenTransfer } from "./open-transfer.ts";

const Kept = z.object({
  id: TransferId,
  machineId: z.string(),
  playSessionId: z.string(),
  direction: z.enum(["cashIn", "cashOut"]),
  amount: z.nullable(PositiveMinor),
  askedAt: z.number(),
});

/** The undecided transfer of this machine that an earlier page left, if any. */
export function keptTransfer(storage: Storage, machineId: string): OpenTransfer | undefined {
  const text = storage.read(STORAGE_KEYS.openTransfers);
  if (text === null) return undefined;
  try {
    const kept = z.safeParse(Kept, JSON.parse(text));
    return kept.success && kept.data.machineId === machineId ? kept.data : undefined;
  } catch {
    return undefined;
  }
}

export function keepTransfer(storage: Storage, transfer: OpenTransfer): void {
  storage.write(STORAGE_KEYS.openTransfers, JSON.stringify(transfer));
}

export function forgetTransfer(storage: Storage): void {
  storage.remove(STORAGE_KEYS.openTransfers);
}
