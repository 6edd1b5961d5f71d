import { createIpGate, IpGateScreen } from "../../features/gates/ip-gate.tsx";
import type { App } from "../app.ts";
import type { Layers } from "../root-view.tsx";

/** Asks whether this address may come in; everything waits for it, guests and deep links too. Resolves once it may. */
export async function passGate(app: App, layers: Layers, page: Window): Promise<void> {
  await app.texts.need("gates");
  const { fetch, addresses, settings, texts, log } = app;
  const gate = createIpGate({ fetch, log, base: addresses.api, texts, alert: (text) => page.alert(text) });
  layers.set({ cover: <IpGateScreen gate={gate} contacts={settings.contacts} /> });
  void gate.check();
  await new Promise<void>((allowed) => {
    const stop = gate.state.subscribe(({ ipCheckState }) => {
      if (!ipCheckState.isAllowed) return;
      stop();
      allowed();
    });
  });
  layers.set({ cover: undefined });
}
