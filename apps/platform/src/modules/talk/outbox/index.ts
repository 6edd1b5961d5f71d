export { addDevice, devicesOf, endDevice, forgetDevices, hasDevice, listDevices, removeDevice } from "./devices.ts";
export {
  deliveryCounts,
  dropDelivery,
  findDelivery,
  listDeliveries,
  newestFact,
  outboxMarks,
  recentFacts,
  resend,
  resendDead,
} from "./list.ts";
export type { Outcome } from "./post.ts";
export { isPushAddress, pushKey, pushSender } from "./push.ts";
export { configureWebhook, webhookSender } from "./webhook.ts";
export { createOutbox, type Outbox, type Send } from "./worker.ts";
export { dropWaiting, ringPlayer, sendTo, writeFact } from "./write-fact.ts";
