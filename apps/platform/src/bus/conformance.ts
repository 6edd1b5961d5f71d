import { afterEach, describe, expect, test, vi } from "vitest";
import type { Bus } from "./bus.ts";

/** A bus under test: two ends of the same bus (the same object where there is only one process). */
export type BusUnderTest = {
  readonly here: Bus;
  readonly there: Bus;
  /** Settles when both ends hear what they subscribed to. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

/** What every implementation of the bus must do. Call it inside a test file of the implementation. */
export function busConformance(name: string, open: () => Promise<BusUnderTest>): void {
  describe(`${name} is a bus`, () => {
    let bus: BusUnderTest | undefined;
    const make = async (): Promise<BusUnderTest> => {
      bus = await open();
      return bus;
    };
    afterEach(async () => await bus?.close());

    test("every subscriber hears a message, on both ends, the publisher too", async () => {
      const { here, there, settled } = await make();
      const heard: string[] = [];
      here.subscribe("balance.changed", ({ playerId }) => heard.push(`here ${playerId}`));
      there.subscribe("balance.changed", ({ playerId }) => heard.push(`there ${playerId}`));
      await settled();
      here.publish("balance.changed", { playerId: "p_1" });
      await vi.waitFor(() => expect(heard.toSorted()).toEqual(["here p_1", "there p_1"]), { timeout: 60_000 });
    });

    test("publishing never re-enters the publisher", async () => {
      const { here } = await make();
      let inside = true;
      const heard = vi.fn(() => expect(inside).toBe(false));
      here.subscribe("balance.changed", heard);
      here.publish("balance.changed", { playerId: "p_1" });
      inside = false;
      await vi.waitFor(() => expect(heard).toHaveBeenCalledOnce(), { timeout: 60_000 });
    });

    test("messages of one topic come in order", async () => {
      const { here, there, settled } = await make();
      const heard: string[] = [];
      there.subscribe("balance.changed", ({ playerId }) => heard.push(playerId));
      await settled();
      const sent = Array.from({ length: 50 }, (_, index) => `p_${index}`);
      for (const playerId of sent) here.publish("balance.changed", { playerId });
      await vi.waitFor(() => expect(heard).toEqual(sent), { timeout: 60_000 });
    });

    test("a stopped subscriber receives nothing more, and one that throws does not stop the others", async () => {
      const { here, there, settled } = await make();
      const heard: string[] = [];
      here.subscribe("balance.changed", () => {
        throw new Error("a bug of a subscriber");
      });
      const stop = there.subscribe("balance.changed", () => heard.push("stopped"));
      there.subscribe("balance.changed", () => heard.push("kept"));
      stop();
      stop();
      await settled();
      here.publish("balance.changed", { playerId: "p_1" });
      await vi.waitFor(() => expect(heard).toEqual(["kept"]), { timeout: 60_000 });
    });

    test("what is sent is a copy", async () => {
      const { here, there, settled } = await make();
      const question = { list: [1] };
      there.respond("copy", async (message) => message);
      await settled();
      const answer = here.request("copy", question, 5_000);
      question.list.push(2);
      expect(await answer).toEqual({ is: "done", data: { list: [1] } });
    });

    test("a request is answered by its responder; the later one replaces the older", async () => {
      const { here, there, settled } = await make();
      there.respond("sum", async () => "old");
      const stop = there.respond("sum", async (message) => (message as number[]).reduce((sum, one) => sum + one, 0));
      await settled();
      expect(await here.request("sum", [1, 2, 3], 5_000)).toEqual({ is: "done", data: 6 });
      stop();
      expect(await here.request("sum", [1], 5_000)).toEqual({ is: "noResponder" });
    });

    test("a request without a responder is answered as surely not done", async () => {
      const { here } = await make();
      expect(await here.request("no.responder", {}, 5_000)).toEqual({ is: "noResponder" });
    });

    test("a responder that fails or is silent leaves the outcome unknown", async () => {
      const { here, there, settled } = await make();
      there.respond("fails", async () => {
        throw new Error("a bug of a responder");
      });
      there.respond("silent", () => new Promise(() => {}));
      await settled();
      expect(await here.request("fails", {}, 5_000)).toEqual({ is: "unknown", cause: "failed" });
      expect(await here.request("silent", {}, 20)).toEqual({ is: "unknown", cause: "deadline" });
    });

    test("a closed bus delivers nothing and leaves open requests unknown", async () => {
      const { here, there, settled } = await make();
      there.respond("silent", () => new Promise(() => {}));
      await settled();
      const open = here.request("silent", {}, 60_000);
      await here.close();
      expect((await open).is).toBe("unknown");
      here.publish("balance.changed", { playerId: "p_1" });
    });
  });
}
