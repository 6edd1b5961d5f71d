export type { Change, NewPayment, PaymentRow } from "./payments.ts";
export {
  AT_DESK,
  addPayment,
  changePayment,
  countedOf,
  endPayment,
  findPayment,
  holdOf,
  listPayments,
  lockPayment,
  overdue,
  paymentBreaches,
  paymentMark,
  paymentsOf,
} from "./payments.ts";
