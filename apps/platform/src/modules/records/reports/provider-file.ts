import type { PaymentSum, ProviderReport, ProviderSums } from "@longarm/contract/staff-reports";
import { csvLine } from "../../../csv.ts";
import type { FileAbout } from "./file.ts";
import { BYTE_ORDER_MARK, LINE_END } from "./file.ts";
import type { FileLanguage } from "./file-words.ts";
import { FILE_WORDS } from "./file-words.ts";

/* The report of payments through providers as a file. */

/** Each column that counts payments: it becomes one of their number and one of their amount. */
const PAYMENTS = {
  captured: ({ deposits }) => deposits.captured,
  depositsRefused: ({ deposits }) => deposits.refused,
  depositsEnded: ({ deposits }) => deposits.ended,
  depositsReversed: ({ deposits }) => deposits.reversed,
  chargedBack: ({ deposits }) => deposits.chargedBack,
  depositsUnderWay: ({ deposits }) => deposits.underWay,
  paid: ({ withdrawals }) => withdrawals.paid,
  withdrawalsRefused: ({ withdrawals }) => withdrawals.refused,
  withdrawalsEnded: ({ withdrawals }) => withdrawals.ended,
  withdrawalsReversed: ({ withdrawals }) => withdrawals.reversed,
  withdrawalsUnderWay: ({ withdrawals }) => withdrawals.underWay,
} as const satisfies Record<string, (sums: ProviderSums) => PaymentSum>;
const AMOUNTS = {
  before: ({ account }) => account.before,
  byPayments: ({ account }) => account.byPayments,
  other: ({ account }) => account.other,
  after: ({ account }) => account.after,
  owed: ({ owed }) => owed,
} as const satisfies Record<string, (sums: ProviderSums) => number>;

type Words = Readonly<Record<keyof typeof PAYMENTS | keyof typeof AMOUNTS | "provider" | "number", string>>;

const WORDS: Readonly<Record<FileLanguage, Words>> = {
  en: {
    provider: "Provider",
    number: "number",
    captured: "Deposits captured",
    depositsRefused: "Deposits refused",
    depositsEnded: "Deposits cancelled or expired",
    depositsReversed: "Deposits reversed",
    chargedBack: "Deposits charged back",
    depositsUnderWay: "Deposits under way",
    paid: "Withdrawals paid",
    withdrawalsRefused: "Withdrawals refused",
    withdrawalsEnded: "Withdrawals cancelled or expired",
    withdrawalsReversed: "Withdrawals sent back",
    withdrawalsUnderWay: "Withdrawals under way",
    before: "Account before",
    byPayments: "By payments",
    other: "Other bookings",
    after: "Account after",
    owed: "Owed by players",
  },
  tr: {
    provider: "Sağlayıcı",
    number: "adet",
    captured: "Alınan yatırmalar",
    depositsRefused: "Reddedilen yatırmalar",
    depositsEnded: "İptal edilen veya süresi dolan yatırmalar",
    depositsReversed: "Geri alınan yatırmalar",
    chargedBack: "Ters ibraz edilen yatırmalar",
    depositsUnderWay: "Süren yatırmalar",
    paid: "Ödenen çekimler",
    withdrawalsRefused: "Reddedilen çekimler",
    withdrawalsEnded: "İptal edilen veya süresi dolan çekimler",
    withdrawalsReversed: "Geri gönderilen çekimler",
    withdrawalsUnderWay: "Süren çekimler",
    before: "Önceki hesap",
    byPayments: "Ödemelere göre",
    other: "Diğer kayıtlar",
    after: "Sonraki hesap",
    owed: "Oyuncuların borcu",
  },
  ar: {
    provider: "مزوّد الدفع",
    number: "العدد",
    captured: "إيداعات محصّلة",
    depositsRefused: "إيداعات مرفوضة",
    depositsEnded: "إيداعات ملغاة أو منتهية",
    depositsReversed: "إيداعات معكوسة",
    chargedBack: "إيداعات مستردّة عبر البنك",
    depositsUnderWay: "إيداعات جارية",
    paid: "سحوبات مدفوعة",
    withdrawalsRefused: "سحوبات مرفوضة",
    withdrawalsEnded: "سحوبات ملغاة أو منتهية",
    withdrawalsReversed: "سحوبات معادة",
    withdrawalsUnderWay: "سحوبات جارية",
    before: "الحساب قبلها",
    byPayments: "بحسب المدفوعات",
    other: "قيود أخرى",
    after: "الحساب بعدها",
    owed: "ديون اللاعبين",
  },
};

const listed = <Name extends string>(columns: Readonly<Record<Name, unknown>>): readonly Name[] =>
  Object.keys(columns) as Name[];

/**
 * The report as CSV, as `csvOf` writes it: a heading, a row for each provider, and a last line with period, time and person. Amounts are decimals; each
 * kind of payment has its number and its amount.
 */
export function* providersCsv(report: ProviderReport, about: FileAbout): Generator<string> {
  const words = WORDS[about.language];
  const { period, made } = FILE_WORDS[about.language];
  const heads = listed(PAYMENTS).flatMap((name) => [`${words[name]}, ${words.number}`, words[name]]);
  yield BYTE_ORDER_MARK + csvLine([words.provider, ...heads, ...listed(AMOUNTS).map((name) => words[name])]) + LINE_END;
  for (const row of report.rows) {
    const payments = listed(PAYMENTS).flatMap((name) => {
      const { count, amount } = PAYMENTS[name](row);
      return [count, amount / 100];
    });
    yield csvLine([row.provider, ...payments, ...listed(AMOUNTS).map((name) => AMOUNTS[name](row) / 100)]) + LINE_END;
  }
  yield csvLine([
    ...[about.venue, period, report.from, report.to],
    ...[made, report.asOf, about.person, `Longarm ${about.version}`],
  ]) + LINE_END;
}
