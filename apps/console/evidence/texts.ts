import type { MachineEventKind } from "@longarm/contract/agent-link";
import type { CLIP_REASONS, CLIP_STATES } from "@longarm/contract/clips";
import type { PRESS_OUTCOMES, PressReason } from "@longarm/contract/data-channel";
import type { EvidenceCheck } from "@longarm/contract/evidence/findings";
import type { EvidenceSentence } from "@longarm/contract/evidence/sentences";
import { EVIDENCE_SENTENCES } from "@longarm/contract/evidence/sentences";
import type { DISPUTE_STEPS, DisputeVerdict } from "@longarm/contract/player-disputes";
import type { PlayedGame } from "@longarm/contract/player-record";

type Texts = {
  readonly title: string;
  readonly choose: string;
  readonly about: string;
  readonly fingerprint: string;
  readonly ownFingerprint: string;
  readonly verdict: Readonly<Record<"proved" | "whole" | "wrong", string>>;
  readonly state: Readonly<Record<"proved" | "wrong" | "absent", string>>;
  readonly check: Readonly<Record<EvidenceCheck, string>>;
  /** What the verifier says, with the same figures in braces in each language. */
  readonly sentence: Readonly<Record<EvidenceSentence, string>>;
  readonly limits: readonly string[];
  readonly proves: string;
  readonly game: string;
  readonly recording: string;
  readonly noVideo: string;
  readonly back: string;
  readonly play: string;
  readonly next: string;
  readonly frame: string;
  readonly frameOf: string;
  readonly events: string;
  readonly said: string;
  readonly booked: string;
  readonly amounts: string;
  readonly started: string;
  readonly ended: string;
  readonly stake: string;
  readonly win: string;
  readonly credit: string;
  readonly press: string;
  readonly mark: string;
  readonly interrupted: string;
  readonly reading: string;
  readonly tooOld: string;
};

const en: Texts = {
  title: "A question about a game",
  choose: "Choose the exported file (.zip)",
  about: "Nothing leaves this computer: the file is verified here, without network.",
  fingerprint: "Fingerprint that you were given (64 signs), if you have it",
  ownFingerprint: "Fingerprint of this file:",
  verdict: {
    proved: "Verified: everything in this file is proved.",
    whole: "Nothing in this file is wrong. What cannot be said is named below.",
    wrong: "This file is NOT what was exported.",
  },
  state: { proved: "proved", wrong: "WRONG", absent: "cannot be said" },
  check: {
    files: "Each byte of the file is as its list says",
    fingerprint: "It is the export whose fingerprint you have",
    chain: "The recording's links follow each other from its first on",
    index: "Presses and events are those that were sealed",
    segments: "The video is the one that was sealed",
    audit: "The audit log's entries are as they were linked",
    anchor: "The audit log confirms the recording",
    clip: "Nothing of the game's time is left out unsaid",
    game: "Recording and history say the same of the game",
    meters: "The machine's meters add up",
    ledger: "The ledger moved what the game won or lost",
  },
  sentence: EVIDENCE_SENTENCES,
  proves: "What this cannot prove",
  limits: [
    "Without a fingerprint somebody may have made the whole file anew. Ask the casino for the fingerprint by another way; its audit log has it too.",
    "Question, verdict and postings are what the platform had when the file was made. Only the fingerprint protects them.",
    "The audit log's entries prove themselves; that they are the casino's, its log or a witness kept elsewhere shows.",
    "A program at the machine that lies from the start is believed, as with any camera. Until the audit log confirms it, a recording can be made anew by who owns that computer.",
    "This page came with the file. Who does not trust it opens the file with a page of another export, or with “longarm disputes verify”.",
  ],
  game: "The game",
  recording: "Recording",
  noVideo: "There is no video in this file, or this browser cannot play it.",
  back: "A frame back",
  play: "Play or pause",
  next: "A frame on",
  frame: "Frame",
  frameOf: "Frame {frame} of {count}",
  events: "What happened",
  said: "What was said",
  booked: "Ledger",
  amounts: "Amounts are in the smallest unit of the currency, times in UTC.",
  ...{ started: "game {number} began", ended: "game {number} ended" },
  ...{
    stake: "stake",
    win: "win",
    credit: "credit",
    press: "press",
    mark: "Mark of staff",
    interrupted: "the recording was interrupted",
  },
  reading: "Verifying…",
  tooOld: "This browser cannot verify files. Open this page in a current browser.",
};

const tr: Texts = {
  title: "Bir oyunla ilgili soru",
  choose: "Dışa aktarılan dosyayı seçin (.zip)",
  about: "Bu bilgisayardan hiçbir şey çıkmaz: dosya burada, ağ olmadan doğrulanır.",
  fingerprint: "Varsa size verilen parmak izi (64 karakter)",
  ownFingerprint: "Bu dosyanın parmak izi:",
  verdict: {
    proved: "Doğrulandı: bu dosyadaki her şey kanıtlandı.",
    whole: "Bu dosyada yanlış bir şey yok. Söylenemeyenler aşağıda.",
    wrong: "Bu dosya dışa aktarılan dosya DEĞİL.",
  },
  state: { proved: "kanıtlandı", wrong: "YANLIŞ", absent: "söylenemez" },
  check: {
    files: "Dosyanın her baytı listedeki gibi",
    fingerprint: "Parmak izi sizdeki dışa aktarımın",
    chain: "Kaydın halkaları ilkinden beri birbirini izliyor",
    index: "Basışlar ve olaylar mühürlenenler",
    segments: "Video mühürlenen video",
    audit: "Denetim günlüğünün girdileri bağlandıkları gibi",
    anchor: "Denetim günlüğü kaydı doğruluyor",
    clip: "Oyunun süresinden söylenmeden atlanan yok",
    game: "Kayıt ve geçmiş oyun için aynı şeyi söylüyor",
    meters: "Makinenin sayaçları tutuyor",
    ledger: "Defter oyunun kazandığını ya da kaybettiğini taşıdı",
  },
  sentence: {
    noManifest: "Bu bir dışa aktarım değil: okunabilen bir liste yok.",
    otherFromByte: "Dosya {at}. bayttan itibaren dışa aktarılan dosya değil.",
    noFingerprint: "Karşılaştırmak için parmak izi verilmedi.",
    otherFingerprint: "Parmak izi {fingerprint}: bu başka bir dışa aktarım.",
    namedTwice: "Liste bir dosyayı iki kez sayıyor.",
    fileMissing: "{name} eksik.",
    otherFile: "{name} listedeki dosya değil.",
    unreadable: "{name} okunamıyor.",
    noRecording: "Kayıt yok.",
    noRecordingWhy: "Kayıt yok: {reason}.",
    chainBreaksOff: "Zincir bir satırın ortasında kesiliyor.",
    linkMisplaced: "{link}. halka öncekini izlemiyor.",
    linesMissing: "{from}. halka ile {to}. halka arasında satırlar eksik.",
    otherLink: "{link}. halka zincirdeki halka değil.",
    otherLines: "{link}. halkadan önceki satırlar mühürlenen satırlar değil.",
    unsealedEnd: "Dizin mühürlenmemiş satırlarla bitiyor.",
    noVideo: "Video yok.",
    strayVideo: "{name} kaydın hiçbir bölümüne ait değil.",
    otherSegment: "{number}. bölüm mühürlenen bölüm değil.",
    otherVideo: "{name}, {number}. bölüm değil.",
    segmentMisplaced: "{number}. bölüm yerinde değil.",
    otherEntry: "{position}. girdi orada bağlanan girdi değil.",
    noEntry: "Dışa aktarımda denetim günlüğünden girdi yok.",
    entryMisplaced: "{position}. girdi yerinde değil.",
    entryUnlinked: "{position}. girdi öncekini izlemiyor.",
    otherAnchor: "Kaydın {link}. halkası denetim günlüğündeki halka değil.",
    anchoredUpTo: "Denetim günlüğünde kayıt {anchored}. halkaya kadar var; bu dosyadaki kayıt {link}. halkaya kadar.",
    otherTime: "Kayıt, oyununkinden başka bir zamanın kaydı.",
    segmentLeftOut: "{number}. bölüm kaydedilmiş ama dosyaya konmamış.",
    gap: "{from} ile {to} arasında hiçbir şey kaydedilmemiş.",
    unsaidGap: "{from} sonrasında görüntü eksik ve bunu söyleyen bir boşluk yok.",
    noSuchGame: "Kayıtta bu oyunla aynı anda biten bir oyun yok.",
    otherBegin: "Kayda göre oyun başka bir anda başlamış.",
    otherFigure: "{figure}: {played}, kayda göre {recorded}.",
    machineSilent: "Makine oyunun bahsini ve kazancını söylemiyor.",
    metersDiffer: "Kredi {before} − bahis {stake} + kazanç {win} − elden ödenen {handPaid}, {after} etmiyor.",
    bookedTwice: "Oyun defterde birden fazla kez var.",
    bookedOther: "Oyun için defterde {booked}, makinede {won} var.",
  },
  proves: "Bunun kanıtlayamadığı",
  limits: [
    "Parmak izi olmadan biri dosyanın tamamını yeniden yapmış olabilir. Parmak izini casinodan başka bir yolla isteyin; denetim günlüğünde de var.",
    "Soru, karar ve kayıtlar, dosya yapıldığında platformda olanlardır. Onları yalnızca parmak izi korur.",
    "Denetim günlüğünün girdileri kendilerini kanıtlar; casinonun olduklarını günlüğü ya da başka yerde saklanan bir tanık gösterir.",
    "Makinedeki bir program baştan yalan söylerse, her kamerada olduğu gibi ona inanılır. Denetim günlüğü doğrulayana kadar o bilgisayarın sahibi kaydı yeniden yapabilir.",
    "Bu sayfa dosyayla geldi. Güvenmeyen, dosyayı başka bir dışa aktarımın sayfasıyla ya da “longarm disputes verify” ile açar.",
  ],
  game: "Oyun",
  recording: "Kayıt",
  noVideo: "Bu dosyada video yok ya da bu tarayıcı onu oynatamıyor.",
  back: "Bir kare geri",
  play: "Oynat ya da duraklat",
  next: "Bir kare ileri",
  frame: "Kare",
  frameOf: "Kare {frame} / {count}",
  events: "Ne oldu",
  said: "Ne söylendi",
  booked: "Defter",
  amounts: "Tutarlar para biriminin en küçük birimiyle, saatler UTC’dir.",
  ...{ started: "{number}. oyun başladı", ended: "{number}. oyun bitti" },
  ...{
    stake: "bahis",
    win: "kazanç",
    credit: "kredi",
    press: "basış",
    mark: "Personelin işareti",
    interrupted: "kayıt kesildi",
  },
  reading: "Doğrulanıyor…",
  tooOld: "Bu tarayıcı dosya doğrulayamıyor. Sayfayı güncel bir tarayıcıda açın.",
};

const ar: Texts = {
  title: "سؤال عن لعبة",
  choose: "اختر الملف المصدَّر (‎.zip)",
  about: "لا يغادر شيء هذا الحاسوب: يُتحقَّق من الملف هنا بلا شبكة.",
  fingerprint: "البصمة التي أُعطيت لك (64 علامة) إن وُجدت",
  ownFingerprint: "بصمة هذا الملف:",
  verdict: {
    proved: "تم التحقق: كل ما في هذا الملف ثابت.",
    whole: "لا شيء خاطئ في هذا الملف. ما لا يمكن قوله مذكور أدناه.",
    wrong: "هذا الملف ليس ما صُدِّر.",
  },
  state: { proved: "ثابت", wrong: "خطأ", absent: "لا يمكن القول" },
  check: {
    files: "كل بايت في الملف كما تقول قائمته",
    fingerprint: "هو التصدير الذي بصمته معك",
    chain: "حلقات التسجيل يتبع بعضها بعضًا من أولها",
    index: "الضغطات والأحداث هي التي خُتمت",
    segments: "الفيديو هو الذي خُتم",
    audit: "قيود سجل التدقيق كما رُبطت",
    anchor: "سجل التدقيق يؤكد التسجيل",
    clip: "لم يُترك شيء من وقت اللعبة دون ذكر",
    game: "التسجيل والسجل يقولان الشيء نفسه عن اللعبة",
    meters: "عدادات الماكينة متطابقة",
    ledger: "نقل الدفتر ما ربحته اللعبة أو خسرته",
  },
  sentence: {
    noManifest: "ليس هذا تصديرًا: لا قائمة فيه يمكن قراءتها.",
    otherFromByte: "الملف ليس ما صُدِّر، ابتداءً من البايت {at}.",
    noFingerprint: "لم تُعطَ بصمة للمقارنة بها.",
    otherFingerprint: "البصمة هي {fingerprint}: هذا تصدير آخر.",
    namedTwice: "تذكر القائمة ملفًا مرتين.",
    fileMissing: "{name} غير موجود.",
    otherFile: "{name} ليس الملف الذي تذكره القائمة.",
    unreadable: "تتعذر قراءة {name}.",
    noRecording: "لا يوجد تسجيل.",
    noRecordingWhy: "لا يوجد تسجيل: {reason}.",
    chainBreaksOff: "تنقطع السلسلة في وسط سطر.",
    linkMisplaced: "الحلقة {link} لا تتبع ما قبلها.",
    linesMissing: "تنقص أسطر بين الحلقة {from} والحلقة {to}.",
    otherLink: "الحلقة {link} ليست حلقة السلسلة.",
    otherLines: "الأسطر قبل الحلقة {link} ليست التي خُتمت.",
    unsealedEnd: "ينتهي الفهرس بأسطر لم تُختم.",
    noVideo: "لا يوجد فيديو.",
    strayVideo: "{name} لا ينتمي إلى أي جزء من التسجيل.",
    otherSegment: "الجزء {number} ليس الذي خُتم.",
    otherVideo: "{name} ليس الجزء {number}.",
    segmentMisplaced: "الجزء {number} ليس في مكانه.",
    otherEntry: "القيد {position} ليس ما رُبط هناك.",
    noEntry: "لا قيد من سجل التدقيق في التصدير.",
    entryMisplaced: "القيد {position} ليس في مكانه.",
    entryUnlinked: "القيد {position} لا يتبع ما قبله.",
    otherAnchor: "الحلقة {link} من التسجيل ليست ما في سجل التدقيق.",
    anchoredUpTo: "في سجل التدقيق التسجيل حتى الحلقة {anchored}؛ والتسجيل في هذا الملف يصل إلى الحلقة {link}.",
    otherTime: "التسجيل من وقت غير وقت اللعبة.",
    segmentLeftOut: "الجزء {number} سُجِّل ولم يوضع في الملف.",
    gap: "من {from} إلى {to} لم يُسجَّل شيء.",
    unsaidGap: "ابتداءً من {from} تنقص صور، ولا فجوة مذكورة تقول ذلك.",
    noSuchGame: "ليس في التسجيل لعبة انتهت حين انتهت هذه.",
    otherBegin: "بدأت اللعبة في وقت آخر بحسب التسجيل.",
    otherFigure: "{figure}: {played}، وبحسب التسجيل {recorded}.",
    machineSilent: "لا تقول الماكينة كم كلّفت اللعبة وكم ربحت.",
    metersDiffer: "الرصيد {before} − الرهان {stake} + الربح {win} − المدفوع يدويًا {handPaid} لا يساوي {after}.",
    bookedTwice: "اللعبة في الدفتر أكثر من مرة.",
    bookedOther: "في الدفتر {booked} للعبة، وعند الماكينة {won}.",
  },
  proves: "ما لا يثبته هذا",
  limits: [
    "بلا بصمة قد يكون أحدهم صنع الملف كله من جديد. اطلب البصمة من الكازينو بطريق آخر؛ وهي في سجل تدقيقه أيضًا.",
    "السؤال والحكم والقيود هي ما كان لدى المنصة عند صنع الملف. لا تحميها إلا البصمة.",
    "قيود سجل التدقيق تثبت نفسها؛ أما أنها للكازينو فيُظهره سجله أو شاهد محفوظ في مكان آخر.",
    "برنامج عند الماكينة يكذب من البداية يُصدَّق كأي كاميرا. وحتى يؤكده سجل التدقيق يستطيع صاحب ذلك الحاسوب صنع التسجيل من جديد.",
    "جاءت هذه الصفحة مع الملف. من لا يثق بها يفتح الملف بصفحة تصدير آخر أو بالأمر «longarm disputes verify».",
  ],
  game: "اللعبة",
  recording: "التسجيل",
  noVideo: "لا فيديو في هذا الملف، أو لا يستطيع هذا المتصفح تشغيله.",
  back: "إطار إلى الوراء",
  play: "تشغيل أو إيقاف",
  next: "إطار إلى الأمام",
  frame: "إطار",
  frameOf: "الإطار {frame} من {count}",
  events: "ما حدث",
  said: "ما قيل",
  booked: "الدفتر",
  amounts: "المبالغ بأصغر وحدة من العملة، والأوقات بالتوقيت العالمي.",
  ...{ started: "بدأت اللعبة {number}", ended: "انتهت اللعبة {number}" },
  ...{
    stake: "الرهان",
    win: "الربح",
    credit: "الرصيد",
    press: "ضغطة",
    mark: "علامة الموظفين",
    interrupted: "انقطع التسجيل",
  },
  reading: "يجري التحقق…",
  tooOld: "لا يستطيع هذا المتصفح التحقق من الملفات. افتح الصفحة في متصفح حديث.",
};

export const TEXTS = { en, tr, ar } as const;

/** The language of the page: the browser's, of those that there are. */
export const language = (["tr", "ar"] as const).find((one) => navigator.language.startsWith(one)) ?? "en";
export const texts: Texts = TEXTS[language];

/** English, Turkish, Arabic. */
type Word = readonly [en: string, tr: string, ar: string];
type Words<Written extends string> = Readonly<Record<Written, Word>>;

/** What the files of an export are written with, in the reader's words. */
const WORDS = {
  field: {
    id: ["Game id", "Oyun kimliği", "معرّف اللعبة"],
    number: ["Game number", "Oyun numarası", "رقم اللعبة"],
    machine: ["Machine", "Makine", "الماكينة"],
    session: ["Play session", "Oyun oturumu", "جلسة اللعب"],
    start: ["Began", "Başlangıç", "البداية"],
    end: ["Ended", "Bitiş", "النهاية"],
    stake: ["Stake", "Bahis", "الرهان"],
    win: ["Win", "Kazanç", "الربح"],
    handPaid: ["Of it paid by hand", "Elden ödenen kısmı", "المدفوع منه يدويًا"],
    before: ["Credit before", "Önceki kredi", "الرصيد قبلها"],
    after: ["Credit after", "Sonraki kredi", "الرصيد بعدها"],
    freeSpins: ["Free games", "Bedava oyunlar", "الألعاب المجانية"],
    bonus: ["With a bonus", "Bonuslu", "مع جولة مكافأة"],
    addsUp: ["Its figures agree", "Rakamları tutuyor", "أرقامها متطابقة"],
    at: ["Time", "Zaman", "الوقت"],
    kind: ["What", "Ne oldu", "ما حدث"],
    from: ["From", "Nereden", "من"],
    to: ["To", "Nereye", "إلى"],
    text: ["In words", "Sözleriyle", "بالكلمات"],
    verdict: ["Verdict", "Karar", "الحكم"],
    amount: ["Amount", "Tutar", "المبلغ"],
    transfer: ["Transfer", "Aktarım", "التحويل"],
  } satisfies Words<keyof PlayedGame | "at" | "kind" | "from" | "to" | "text" | "verdict" | "amount" | "transfer">,
  value: { true: ["yes", "evet", "نعم"], false: ["no", "hayır", "لا"] } satisfies Words<"true" | "false">,
  step: {
    opened: ["The player opened it", "Oyuncu sordu", "فتحه اللاعب"],
    taken: ["A person looks at it", "Bir kişi inceliyor", "ينظر فيه شخص"],
    question: ["Question to the player", "Oyuncuya soru", "سؤال إلى اللاعب"],
    addition: ["The player added", "Oyuncu ekledi", "أضاف اللاعب"],
    decided: ["Decided", "Karara bağlandı", "تقرر"],
  } satisfies Words<(typeof DISPUTE_STEPS)[number]>,
  verdict: {
    paidRight: ["Paid right", "Doğru ödendi", "دُفعت بشكل صحيح"],
    houseOwes: ["The casino owes", "Casino borçlu", "على الكازينو دين"],
    unclear: ["It is unclear", "Söylenemiyor", "لا يمكن الجزم"],
  } satisfies Words<DisputeVerdict>,
  booked: {
    deposit: ["Deposit", "Para yatırma", "إيداع"],
    withdraw: ["Withdrawal", "Para çekme", "سحب"],
    cashIn: ["Onto the machine", "Makineye", "إلى الماكينة"],
    cashOut: ["Off the machine", "Makineden", "من الماكينة"],
    handPay: ["Hand pay", "Elden ödeme", "دفع يدوي"],
    jackpot: ["Jackpot", "Jackpot", "الجائزة الكبرى"],
    game: ["Game", "Oyun", "لعبة"],
    discount: ["Discount", "Kayıp iadesi", "استرداد نقدي"],
    bonus: ["Bonus", "Bonus", "مكافأة"],
    fee: ["Fee", "Ücret", "رسم"],
    correction: ["Correction", "Düzeltme", "تصحيح"],
    suspense: ["In suspense", "Askıda", "معلّق"],
    chargeBack: ["Charge-back", "Ters ibraz", "رد المبالغ"],
  } satisfies Readonly<Record<string, Word>>,
  party: {
    house: ["Casino", "Casino", "الكازينو"],
    machine: ["Machine", "Makine", "الماكينة"],
    player: ["Player", "Oyuncu", "اللاعب"],
    cage: ["Cashier", "Vezne", "الصندوق"],
    suspense: ["In suspense", "Askıda", "معلّق"],
    promotions: ["Promotions", "Promosyonlar", "العروض"],
    fees: ["Fees", "Ücretler", "الرسوم"],
    owed: ["Owed by player", "Oyuncunun borcu", "دين على اللاعب"],
    provider: ["Payment provider", "Ödeme sağlayıcı", "مزود الدفع"],
  } satisfies Readonly<Record<string, Word>>,
  event: {
    doorOpened: ["a door was opened", "bir kapı açıldı", "فُتح باب"],
    doorClosed: ["the door was closed", "kapı kapandı", "أُغلق الباب"],
    tilt: ["tilt", "tilt", "ميلان"],
    tiltCleared: ["the tilt ended", "tilt bitti", "انتهى الميلان"],
    handPayPending: ["a hand pay waits", "elden ödeme bekliyor", "دفع يدوي بالانتظار"],
    handPayReset: ["the hand pay is settled", "elden ödeme tamam", "تمت تسوية الدفع اليدوي"],
    jackpot: ["jackpot", "jackpot", "الجائزة الكبرى"],
    bonusStarted: ["a bonus began", "bonus başladı", "بدأت جولة المكافأة"],
    bonusEnded: ["the bonus ended", "bonus bitti", "انتهت جولة المكافأة"],
    powerUp: ["the machine was switched on", "makine açıldı", "شُغّلت الماكينة"],
    transferComplete: ["credit was moved", "kredi aktarıldı", "نُقل الرصيد"],
    eventsLost: ["events were lost", "olaylar kayboldu", "فُقدت أحداث"],
    other: ["another event", "başka bir olay", "حدث آخر"],
  } satisfies Words<MachineEventKind>,
  button: {
    spin: ["SPIN", "SPIN", "SPIN"],
    betDown: ["a lower bet", "bahis azalt", "رهان أقل"],
    betUp: ["a higher bet", "bahis artır", "رهان أعلى"],
    maxBet: ["the highest bet", "en yüksek bahis", "أعلى رهان"],
    denomination: ["the denomination", "kupür", "الفئة"],
    band: ["a price of credits", "kredi değeri", "قيمة الرصيد"],
    attendant: ["the attendant’s key", "görevli düğmesi", "زر الموظف"],
  } satisfies Readonly<Record<string, Word>>,
  outcome: {
    started: ["a game began", "oyun başladı", "بدأت لعبة"],
    done: ["the machine took it", "makine aldı", "قبلتها الماكينة"],
    ignored: ["the machine ignored it", "makine yok saydı", "تجاهلتها الماكينة"],
    refused: ["refused", "reddedildi", "رُفضت"],
    late: ["too late", "çok geç", "متأخرة"],
    stale: ["of an earlier seat", "önceki bir oturuşun", "من مقعد سابق"],
    changed: ["the stake had changed", "bahis değişmişti", "كان الرهان قد تغيّر"],
    unconfirmed: ["not confirmed", "doğrulanmadı", "لم تُؤكَّد"],
    silent: ["the machine did not answer", "makine yanıt vermedi", "لم تُجب الماكينة"],
  } satisfies Words<(typeof PRESS_OUTCOMES)[number] | "silent">,
  reason: {
    handPay: ["hand pay", "elden ödeme", "دفع يدوي"],
    doorOpen: ["a door is open", "bir kapı açık", "باب مفتوح"],
    tilt: ["tilt", "tilt", "ميلان"],
    disabled: ["the machine is disabled", "makine devre dışı", "الماكينة معطّلة"],
    outOfService: ["out of service", "hizmet dışı", "خارج الخدمة"],
    local: ["played at the machine itself", "makinenin başında oynanıyor", "تُلعب محليًا"],
    locked: ["the machine is locked", "makine kilitli", "الماكينة مقفلة"],
    inGame: ["a game is running", "bir oyun sürüyor", "لعبة جارية"],
    noCredit: ["no credit", "kredi yok", "لا رصيد"],
    stakeAboveLimit: ["the stake is above the limit", "bahis sınırın üstünde", "الرهان فوق الحد"],
    stakeChanged: ["the stake had changed", "bahis değişmişti", "كان الرهان قد تغيّر"],
    atLimit: ["no lower or higher bet", "daha az ya da çok bahis yok", "لا رهان أقل أو أعلى"],
    "too soon": ["too soon", "çok erken", "مبكرة جدًا"],
    "unknown button": ["unknown button", "bilinmeyen düğme", "زر غير معروف"],
    malformed: ["not a press", "basış değil", "ليست ضغطة"],
    "stale epoch": ["of an earlier seat", "önceki bir oturuşun", "من مقعد سابق"],
    "seat not granted": ["the seat was not given", "koltuk verilmemişti", "لم يُمنح المقعد"],
    "lease expired": ["the seat’s time was over", "koltuğun süresi dolmuştu", "انتهت مدة المقعد"],
    "transfer in progress": ["credit was being moved", "kredi aktarılıyordu", "كان الرصيد يُنقل"],
    "too many presses": ["too many presses", "çok fazla basış", "ضغطات كثيرة جدًا"],
    "a wager needs the stake that was seen": [
      "without the stake that was seen",
      "görülen bahis olmadan",
      "دون الرهان المعروض",
    ],
    "the agent cannot keep records now": [
      "nothing could be written down",
      "hiçbir şey yazılamıyordu",
      "تعذّر تدوين أي شيء",
    ],
    "too many events wait for the platform": ["too many events wait", "çok fazla olay bekliyor", "أحداث كثيرة تنتظر"],
    "no autoplay": ["no autoplay here", "burada otomatik oyun yok", "لا لعب تلقائي هنا"],
    "picture too old": ["the picture was too old", "görüntü çok eskiydi", "كانت الصورة قديمة جدًا"],
    "play not recorded": ["play was not recorded", "oyun kaydedilmiyordu", "لم يكن اللعب يُسجَّل"],
    "reality check": ["a reality check was open", "süre hatırlatması açıktı", "كان التذكير بالوقت مفتوحًا"],
    "limit reached": ["a limit was reached", "bir sınıra ulaşılmıştı", "بُلغ حد"],
    "stake was above": ["the stake was too high", "bahis çok yüksekti", "كان الرهان أعلى من المسموح"],
    break: ["a break from play", "oyuna ara", "استراحة من اللعب"],
    "turn over": ["the turn was over", "sıra bitmişti", "انتهى الدور"],
    "not sent": ["not sent", "gönderilmedi", "لم تُرسل"],
    other: ["another reason", "başka bir neden", "سبب آخر"],
  } satisfies Words<PressReason>,
  clip: {
    notRecorded: ["nothing was recorded then", "o sırada kayıt yapılmamış", "لم يُسجَّل شيء حينها"],
    deleted: ["its time was over", "saklama süresi dolmuş", "انتهت مدة حفظه"],
    agentAway: [
      "the machine’s computer was away",
      "makinenin bilgisayarına ulaşılamadı",
      "تعذّر الوصول إلى حاسوب الماكينة",
    ],
    failed: ["it could not be fetched", "getirilemedi", "تعذّر جلبه"],
    none: ["it was not fetched yet", "henüz getirilmemiş", "لم يُجلب بعد"],
    wanted: ["it was not fetched yet", "henüz getirilmemiş", "لم يُجلب بعد"],
    fetching: ["it was being fetched", "getiriliyordu", "كان يُجلب"],
    ready: ["it has no video", "videosu yok", "لا فيديو فيه"],
    missing: ["there is none", "yok", "غير موجود"],
    "nothing is kept of this time": [
      "nothing is kept of this time",
      "bu süreden bir şey saklanmamış",
      "لم يُحفظ شيء من هذا الوقت",
    ],
  } satisfies Words<
    (typeof CLIP_REASONS)[number] | (typeof CLIP_STATES)[number] | "none" | "nothing is kept of this time"
  >,
} as const;

const PLACE = { en: 0, tr: 1, ar: 2 } as const;

/** What is written, in the reader's words; as it is written where there are none for it. */
export const wordFor = (of: keyof typeof WORDS, written: string): string =>
  (WORDS[of] as Readonly<Record<string, Word>>)[written]?.[PLACE[language]] ?? written;
