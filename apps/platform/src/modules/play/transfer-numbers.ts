import type { Registry } from "prom-client";
import { Histogram } from "prom-client";

/** What is counted of transfers between wallets and machines on this node. */
export type TransferNumbers = {
  /** Counts a transfer as started; call the returned function once with its outcome. */
  begin(direction: "cashIn" | "cashOut"): (outcome: "done" | "refused" | "unknown") => void;
};

export function transferNumbers(registry: Registry): TransferNumbers {
  const seconds = new Histogram({
    name: "longarm_transfer_seconds",
    help: "From asking a machine for a transfer to its booked outcome, by direction and outcome.",
    labelNames: ["direction", "outcome"],
    buckets: [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10],
    registers: [registry],
  });
  return {
    begin(direction) {
      const end = seconds.startTimer({ direction });
      return (outcome) => void end({ outcome });
    },
  };
}
