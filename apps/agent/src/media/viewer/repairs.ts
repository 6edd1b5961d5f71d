import type { Clock } from "../../ports/clock.ts";
import type { RepairStream, RtpStream } from "../../ports/transport.ts";
import { repairPlan, writeRepair } from "../rtp/flexfec.ts";
import { PROTECTION_GAP_MS, TWINS_COST } from "./rate-control.ts";

/** Of one frame to the next so much of the sums is kept: they are of the last two seconds. */
const COST_KEPT = 0.98;

/** Sends the repair packets of one viewer's video, and knows what they cost. */
export function createRepairs(
  clock: Clock,
  stream: RtpStream,
  repair: RepairStream,
  send: (packets: readonly Buffer[]) => void,
) {
  let sequence = repair.ssrc & 0x7fff;
  let mediaBytes = 1;
  let repairBytes = TWINS_COST - 1;

  const write = (media: readonly Buffer[]): Buffer => {
    const packet = writeRepair(stream, media, repair, sequence);
    sequence = (sequence + 1) & 0xffff;
    repairBytes += packet.length;
    return packet;
  };
  const sendPart = (frame: readonly Buffer[], plan: ReturnType<typeof repairPlan>) =>
    send(plan.map((members) => write(members.flatMap((at) => frame[at] ?? []))));

  return {
    /** Protects the packets of one frame, which were just sent: half of its repair packets go now, the others later, so that no burst takes all. */
    protect(frame: readonly Buffer[]): void {
      mediaBytes = mediaBytes * COST_KEPT + frame.reduce((sum, packet) => sum + packet.length, 0);
      repairBytes *= COST_KEPT;
      const plan = repairPlan(frame.length);
      const half = Math.ceil(plan.length / 2);
      sendPart(frame, plan.slice(0, half));
      if (half < plan.length) clock.after(PROTECTION_GAP_MS, () => sendPart(frame, plan.slice(half)));
    },
    /** How much more the link carries with them, as a factor: a third more with large frames. Small ones cost more than twice, and need no bitrate. */
    cost: () => Math.min(TWINS_COST, 1 + repairBytes / mediaBytes),
  };
}
