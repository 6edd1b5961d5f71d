/**
 * What a member of staff may do (`permission-texts.ts` says it in words). A role is a set of these; a call of `staffCalls` names the one that it
 * needs. What a person may see but not do is shown with the button disabled.
 */
export const PERMISSION_NAMES = [
  "floor.see",
  "task.take",
  "machine.watch",
  "machine.operate",
  "machine.simulate",
  "machine.configure",
  "stop.set",
  "stop.release",
  "player.find",
  "player.message",
  "player.add",
  "player.see",
  "player.lock",
  "limit.stricter",
  "limit.looser",
  "handPay.see",
  "handPay.pay",
  "handPay.void",
  "wallet.move",
  "shift.own",
  "shift.see",
  "transfer.see",
  "transfer.askAgain",
  "transfer.memoryGone",
  "discrepancy.see",
  "discrepancy.explain",
  "discrepancy.sign",
  "bonus.grant",
  "promotion.see",
  "promotion.run",
  "report.own",
  "report.see",
  "audit.see",
  "agent.see",
  "agent.manage",
  "settings.see",
  "settings.change",
  "staff.see",
  "staff.manage",
  "restore.sign",
  "wall.admit",
] as const;
export type Permission = (typeof PERMISSION_NAMES)[number];

/**
 * What somebody of a role may move alone, minor units; above it a second person signs. Absent: no act of this kind. `handPay`: by one act. `wallet`
 * (deposits and withdrawals each by themselves) and `bonus`: by one person in one business day, without what a second person signed.
 */
export type RoleLimits = { readonly handPay?: number; readonly wallet?: number; readonly bonus?: number };
export type LimitedAct = keyof RoleLimits;

type RoleSpec = { readonly permissions: readonly Permission[]; readonly limits: RoleLimits };

/** Where an act needs no second person below a limit: ₺10,000. */
const USUAL_LIMIT_MINOR = 1_000_000;

/** The roles of a new platform; the platform keeps roles as data, which two administrators may change. */
export const ROLES = {
  attendant: {
    permissions: [
      "floor.see",
      "task.take",
      "machine.watch",
      "machine.operate",
      "stop.set",
      "player.find",
      "player.message",
      "limit.stricter",
      "handPay.see",
      "handPay.pay",
      "transfer.see",
      "transfer.askAgain",
      "bonus.grant",
      "agent.see",
      "report.own",
    ],
    limits: { handPay: USUAL_LIMIT_MINOR, bonus: 50_000 },
  },
  cashier: {
    permissions: [
      "floor.see",
      "task.take",
      "stop.set",
      "player.find",
      "player.message",
      "player.add",
      "player.see",
      "limit.stricter",
      "wallet.move",
      "shift.own",
      "report.own",
    ],
    limits: { wallet: USUAL_LIMIT_MINOR },
  },
  supervisor: {
    permissions: [
      "floor.see",
      "task.take",
      "machine.watch",
      "machine.operate",
      "stop.set",
      "stop.release",
      "player.find",
      "player.message",
      "player.add",
      "player.see",
      "player.lock",
      "limit.stricter",
      "limit.looser",
      "handPay.see",
      "handPay.pay",
      "handPay.void",
      "wallet.move",
      "shift.own",
      "shift.see",
      "transfer.see",
      "transfer.askAgain",
      "transfer.memoryGone",
      "discrepancy.see",
      "discrepancy.explain",
      "discrepancy.sign",
      "bonus.grant",
      "promotion.see",
      "promotion.run",
      "report.own",
      "report.see",
      "audit.see",
      "agent.see",
      "settings.see",
      "staff.see",
      "wall.admit",
    ],
    limits: { handPay: USUAL_LIMIT_MINOR, wallet: USUAL_LIMIT_MINOR, bonus: USUAL_LIMIT_MINOR },
  },
  technician: {
    permissions: [
      "floor.see",
      "task.take",
      "machine.watch",
      "machine.operate",
      "machine.simulate",
      "machine.configure",
      "stop.set",
      "player.find",
      "transfer.see",
      "transfer.askAgain",
      "discrepancy.see",
      "agent.see",
      "agent.manage",
    ],
    limits: {},
  },
  auditor: {
    permissions: [
      "floor.see",
      "machine.watch",
      "player.find",
      "player.see",
      "handPay.see",
      "shift.see",
      "transfer.see",
      "discrepancy.see",
      "promotion.see",
      "report.see",
      "audit.see",
      "agent.see",
      "settings.see",
      "staff.see",
    ],
    limits: {},
  },
  administrator: {
    permissions: [
      "floor.see",
      "stop.set",
      "stop.release",
      "player.find",
      "discrepancy.see",
      "discrepancy.sign",
      "promotion.see",
      "machine.configure",
      "machine.simulate",
      "report.see",
      "audit.see",
      "agent.see",
      "agent.manage",
      "settings.see",
      "settings.change",
      "staff.see",
      "staff.manage",
      "restore.sign",
      "wall.admit",
    ],
    limits: {},
  },
} as const satisfies Record<string, RoleSpec>;
export type RoleName = keyof typeof ROLES;
export const ROLE_NAMES = Object.keys(ROLES) as readonly RoleName[];

/** Roles that one person never has together: who moves money does not audit it or give out rights. */
export const SEPARATE_ROLES: readonly (readonly [RoleName, RoleName])[] = [
  ["auditor", "attendant"],
  ["auditor", "cashier"],
  ["auditor", "supervisor"],
  ["auditor", "technician"],
  ["administrator", "attendant"],
  ["administrator", "cashier"],
  ["administrator", "supervisor"],
  ["administrator", "auditor"],
];

/** What needs a second person, and the permission that the second person has. */
export const APPROVAL_KINDS = {
  "wallet.deposit": "wallet.move",
  "wallet.withdrawal": "wallet.move",
  "handPay.pay": "handPay.pay",
  "handPay.void": "handPay.void",
  "discrepancy.explain": "discrepancy.sign",
  "transfer.memoryGone": "transfer.memoryGone",
  "exclusion.lift": "limit.looser",
  "bonus.grant": "bonus.grant",
  "campaign.start": "promotion.run",
  "machine.configure": "machine.configure",
  "stop.release": "stop.release",
  "staff.change": "staff.manage",
  "settings.change": "settings.change",
  restore: "restore.sign",
} as const satisfies Record<string, Permission>;
export type ApprovalKind = keyof typeof APPROVAL_KINDS;
