import type { ReportGroup } from "@longarm/contract/staff-reports";

/** Languages of report files. */
export const FILE_LANGUAGES = ["tr", "en", "ar"] as const;
export type FileLanguage = (typeof FILE_LANGUAGES)[number];

type Column =
  | "games"
  | "wagered"
  | "machinePaid"
  | "handPaid"
  | "held"
  | "hold"
  | "expectedHold"
  | "variance"
  | "bandLow"
  | "bandHigh"
  | "ledgerKept"
  | "sessions"
  | "occupancy"
  | "cashIn"
  | "cashOut"
  | "handPays"
  | "jackpots"
  | "cancelledCredits"
  | "fees"
  | "claims"
  | "suspense"
  | "discrepancies"
  | "deposits"
  | "withdrawals"
  | "bonuses"
  | "discounts"
  | "watchedMinutes"
  | "watchersMost"
  | "delayMedian"
  | "delayP95";
export type FileColumn = Column;

type Words = Readonly<
  Record<Column, string> & {
    readonly group: Readonly<Record<ReportGroup, string>>;
    readonly title: string;
    readonly total: string;
    readonly period: string;
    readonly filter: string;
    readonly made: string;
    readonly page: string;
    readonly notKnown: string;
    readonly amounts: string;
    readonly until: string;
    readonly sample: string;
  }
>;

/** Words of report files. The console has texts of its own. */
export const FILE_WORDS: Readonly<Record<FileLanguage, Words>> = {
  en: {
    group: {
      machine: "Machine",
      brand: "Brand",
      denomination: "Denomination",
      day: "Day",
      month: "Month",
      year: "Year",
    },
    title: "Report",
    total: "All",
    period: "Business days",
    filter: "Only",
    made: "Made",
    page: "Page",
    notKnown: "not known",
    amounts: "Amounts in the currency",
    until: "until",
    sample: "Sample data until",
    games: "Games",
    wagered: "Coin in",
    machinePaid: "Coin out",
    handPaid: "Won by hand",
    held: "Held",
    hold: "Hold %",
    expectedHold: "By paytable %",
    variance: "Variance",
    bandLow: "Band from %",
    bandHigh: "Band to %",
    ledgerKept: "Ledger kept",
    sessions: "Sessions",
    occupancy: "Occupied %",
    cashIn: "Cash-in",
    cashOut: "Cash-out",
    handPays: "Hand pays",
    jackpots: "Jackpots",
    cancelledCredits: "Cancelled credits",
    fees: "Fees",
    claims: "Claims",
    suspense: "To suspense",
    discrepancies: "Discrepancies",
    deposits: "Deposits",
    withdrawals: "Withdrawals",
    bonuses: "Bonuses",
    discounts: "Discounts",
    watchedMinutes: "Watched min",
    watchersMost: "Watchers at once",
    delayMedian: "Delay ≤ ms",
    delayP95: "Delay 95 % ≤ ms",
  },
  tr: {
    group: { machine: "Makine", brand: "Marka", denomination: "Kupür", day: "Gün", month: "Ay", year: "Yıl" },
    title: "Rapor",
    total: "Tümü",
    period: "İş günleri",
    filter: "Yalnızca",
    made: "Hazırlandı",
    page: "Sayfa",
    notKnown: "bilinmiyor",
    amounts: "Tutarlar para birimi cinsindendir",
    until: "şu ana kadar",
    sample: "Örnek verinin son günü",
    games: "Oyun",
    wagered: "Oynanan",
    machinePaid: "Makine ödemesi",
    handPaid: "Elden kazanç",
    held: "Kasada kalan",
    hold: "Kasa payı %",
    expectedHold: "Tabloya göre %",
    variance: "Sapma",
    bandLow: "Aralık başı %",
    bandHigh: "Aralık sonu %",
    ledgerKept: "Deftere göre kalan",
    sessions: "Oturum",
    occupancy: "Doluluk %",
    cashIn: "Yükleme",
    cashOut: "Cüzdana aktarma",
    handPays: "Elden ödeme",
    jackpots: "Jackpot",
    cancelledCredits: "İptal edilen kredi",
    fees: "Ücretler",
    claims: "İtiraz ödemesi",
    suspense: "Askıya alınan",
    discrepancies: "Uyuşmazlık",
    deposits: "Para yatırma",
    withdrawals: "Para çekme",
    bonuses: "Bonus",
    discounts: "Kayıp iadesi",
    watchedMinutes: "İzlenen dk",
    watchersMost: "Aynı anda izleyen",
    delayMedian: "Gecikme ≤ ms",
    delayP95: "Gecikme %95 ≤ ms",
  },
  ar: {
    group: {
      machine: "الماكينة",
      brand: "العلامة",
      denomination: "الفئة",
      day: "اليوم",
      month: "الشهر",
      year: "السنة",
    },
    title: "تقرير",
    total: "الكل",
    period: "أيام العمل",
    filter: "فقط",
    made: "أُعدّ",
    page: "صفحة",
    notKnown: "غير معروف",
    amounts: "المبالغ بالعملة",
    until: "حتى الآن",
    sample: "بيانات تجريبية حتى",
    games: "الألعاب",
    wagered: "المراهن به",
    machinePaid: "دفع الماكينة",
    handPaid: "ربح باليد",
    held: "المحتفظ به",
    hold: "نسبة الاحتفاظ %",
    expectedHold: "حسب الجدول %",
    variance: "الانحراف",
    bandLow: "النطاق من %",
    bandHigh: "النطاق إلى %",
    ledgerKept: "حسب الدفتر",
    sessions: "الجلسات",
    occupancy: "الإشغال %",
    cashIn: "الإيداع في الماكينة",
    cashOut: "النقل إلى المحفظة",
    handPays: "الدفع اليدوي",
    jackpots: "الجاكبوت",
    cancelledCredits: "أرصدة ملغاة",
    fees: "الرسوم",
    claims: "المطالبات",
    suspense: "إلى الحساب المعلق",
    discrepancies: "الفروقات",
    deposits: "الإيداعات",
    withdrawals: "السحوبات",
    bonuses: "المكافآت",
    discounts: "الخصومات",
    watchedMinutes: "دقائق المشاهدة",
    watchersMost: "المشاهدون معا",
    delayMedian: "وسيط التأخير م.ث",
    delayP95: "تأخير معظم التقارير م.ث",
  },
};
