import type { Press, PressAnswer } from "@longarm/contract/data-channel";
import { CHANNEL_OPTIONS, PRESS_CHANNEL } from "@longarm/contract/data-channel";
import type { Page } from "playwright-core";
import type * as z from "zod/mini";

type Answer = z.infer<typeof PressAnswer>;

/** A browser's connection to a machine without the web around it: a test says itself what goes over the wire. */
export type BareViewer = {
  offer(): Promise<string>;
  accept(sdp: string): Promise<void>;
  /** True once presses can be sent. */
  open(): Promise<boolean>;
  /** Sends a press again and again until the agent has answered its number. */
  press(press: Press): Promise<Answer>;
};

type Held = { peer: RTCPeerConnection; channel: RTCDataChannel; answers: Answer[] };
type Holder = { longarmBare: Held };

export async function openBareViewer(page: Page): Promise<BareViewer> {
  await page.evaluate(
    ([name, options]) => {
      const peer = new RTCPeerConnection({ bundlePolicy: "max-bundle" });
      peer.addTransceiver("video", { direction: "recvonly" });
      peer.addTransceiver("audio", { direction: "recvonly" });
      const channel = peer.createDataChannel(name, options);
      channel.binaryType = "arraybuffer";
      const answers: Answer[] = [];
      channel.onmessage = ({ data }) =>
        answers.push(JSON.parse(typeof data === "string" ? data : new TextDecoder().decode(data)));
      (globalThis as unknown as Holder).longarmBare = { peer, channel, answers };
    },
    [PRESS_CHANNEL, CHANNEL_OPTIONS] as const,
  );
  return {
    offer: () =>
      page.evaluate(async () => {
        const { peer } = (globalThis as unknown as Holder).longarmBare;
        await peer.setLocalDescription();
        return peer.localDescription?.sdp ?? "";
      }),
    accept: (sdp) =>
      page.evaluate(
        (text) =>
          (globalThis as unknown as Holder).longarmBare.peer.setRemoteDescription({ type: "answer", sdp: text }),
        sdp,
      ),
    open: () => page.evaluate(() => (globalThis as unknown as Holder).longarmBare.channel.readyState === "open"),
    async press(press) {
      const found = await page.waitForFunction(
        (frame) => {
          const { channel, answers } = (globalThis as unknown as Holder).longarmBare;
          const answer = answers.find(({ seq }) => seq === frame.seq);
          if (answer === undefined && channel.readyState === "open") channel.send(JSON.stringify(frame));
          return answer;
        },
        press,
        { polling: 50, timeout: 10_000 },
      );
      return (await found.jsonValue()) as Answer;
    },
  };
}
