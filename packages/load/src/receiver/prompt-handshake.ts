import type { RTCDtlsTransport } from "werift";

/** Werift keeps it to itself. */
interface Client {
  connect(): Promise<void>;
}

/**
 * Begins the DTLS handshake as soon as the agent can hear it, as browsers do: werift waits 100 ms instead. The agent hears once its own
 * check of the way was answered, so `checked` is to be called for each of its checks.
 */
export function promptHandshake(dtls: RTCDtlsTransport): { checked(): void } {
  let wasChecked = false;
  let client: Client | undefined;
  let begun: Promise<void> | undefined;
  const begin = (): void => {
    if (!wasChecked || client === undefined || begun !== undefined) return;
    const { connect } = Object.getPrototypeOf(client) as Client;
    begun = connect.call(client);
    // Werift takes it up within 100 ms, and hears of its failure then.
    begun.catch(() => undefined);
    client.connect = () => begun ?? Promise.resolve();
  };
  dtls.onStateChange.subscribe((state) => {
    if (state !== "connecting") return;
    // Werift makes it right after it has told this.
    queueMicrotask(() => {
      client = dtls.dtls as unknown as Client | undefined;
      begin();
    });
  });
  return {
    checked: () => {
      wasChecked = true;
      // The answer to the check goes out first.
      setImmediate(begin);
    },
  };
}
