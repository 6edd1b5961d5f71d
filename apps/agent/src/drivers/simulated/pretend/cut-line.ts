import type { Egm } from "../../../ports/egm.ts";

/**
 * The machine over a line that can be cut: nothing gets through, and an answer that was on its way is lost, so what it was about is unknown.
 * The machine itself does not notice.
 */
export function overLine(egm: Egm, isCut: () => boolean): Egm {
  const whole = (): void => {
    if (isCut()) throw new Error("the line to the machine is dead");
  };
  const over =
    <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      whole();
      const answer = await call(...args);
      whole();
      return answer;
    };
  return {
    description: egm.description,
    ...(egm.stated !== undefined && { stated: egm.stated }),
    meters: over(egm.meters),
    press: over(egm.press),
    cashIn: over(egm.cashIn),
    cashOut: over(egm.cashOut),
    transfer: over(egm.transfer),
    enable: over(egm.enable),
    disable: over(egm.disable),
    lock: over(egm.lock),
    unlock: over(egm.unlock),
    resetHandPay: over(egm.resetHandPay),
    nextEvents: over(egm.nextEvents),
    ackEvents: over(egm.ackEvents),
    onActivity: (ring) =>
      egm.onActivity((what) => {
        if (!isCut()) ring(what);
      }),
    close: () => egm.close(),
  };
}
