import { systemClock } from "../clock.ts";
import { busConformance } from "./conformance.ts";
import { inProcessBus } from "./in-process.ts";

busConformance("the in-process bus", async () => {
  const bus = inProcessBus({ clock: systemClock, onError: () => {} });
  return { here: bus, there: bus, settled: async () => {}, close: () => bus.close() };
});
