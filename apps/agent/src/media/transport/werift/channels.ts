import type { RTCDataChannel } from "werift";
import type { Clock } from "../../../ports/clock.ts";
import type { DataChannelName } from "../../../ports/transport.ts";

/** The largest message of either channel, bytes (contract.md, section 3). */
const MESSAGE_BYTES_MAX = 512;
/** Messages a second taken from one browser; a page sends a dozen at most. */
const MESSAGES_PER_SECOND = 200;
/** Bytes that may wait in SCTP before an answer is dropped. */
const WAITING_BYTES_MAX = 16 * 1024;

export interface Channels {
  /** Takes a channel the browser opened; what is none of ours, or opens one again, is kept back before it (see `guardSctp`). */
  take(channel: RTCDataChannel): void;
  send(name: DataChannelName, message: Uint8Array): boolean;
}

/** The `press` and `clock` channels of one browser, with limits on what it may send. */
export function createChannels(
  clock: Clock,
  on: {
    open(name: DataChannelName): void;
    message(name: DataChannelName, message: Uint8Array): void;
    /** So much waits for the browser that an answer more is dropped. */
    isCrowded(): boolean;
  },
): Channels {
  const channels = new Map<DataChannelName, RTCDataChannel>();
  let secondAtMs = clock.now();
  let messages = 0;

  const withinRate = () => {
    const now = clock.now();
    if (now - secondAtMs >= 1000) {
      secondAtMs = now;
      messages = 0;
    }
    messages += 1;
    return messages <= MESSAGES_PER_SECOND;
  };

  const listen = (name: DataChannelName, channel: RTCDataChannel) => {
    channels.set(name, channel);
    channel.onMessage.subscribe((data) => {
      const bytes = typeof data === "string" ? Buffer.from(data, "utf8") : data;
      if (bytes.length <= MESSAGE_BYTES_MAX && withinRate()) on.message(name, bytes);
    });
    if (channel.readyState === "open") on.open(name);
    else
      channel.stateChanged.subscribe((state) => {
        if (state === "open") on.open(name);
      });
  };

  return {
    take(channel) {
      const { label } = channel;
      if (label === "press" || label === "clock") listen(label, channel);
    },
    send(name, message) {
      const channel = channels.get(name);
      if (channel?.readyState !== "open" || channel.bufferedAmount > WAITING_BYTES_MAX || on.isCrowded()) return false;
      try {
        channel.send(Buffer.from(message).toString("utf8"));
        return true;
      } catch {
        return false;
      }
    },
  };
}
