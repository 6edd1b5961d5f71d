export type { Bus, BusAnswer } from "./bus.ts";
export { inProcessBus } from "./in-process.ts";
export { natsBus } from "./nats-bus.ts";
export type { Topic, Topics } from "./topics.ts";
