import type { EvidenceCheck } from "@longarm/contract/evidence/findings";

type Texts = {
  readonly title: string;
  readonly choose: string;
  readonly about: string;
  readonly fingerprint: string;
  readonly verdict: Readonly<Record<"proved" | "whole" | "wrong", string>>;
  readonly state: Readonly<Record<"proved" | "wrong" | "absent", string>>;
  readonly check: Readonly<Record<EvidenceCheck, string>>;
  readonly limits: readonly string[];
  readonly proves: string;
  readonly game: string;
  readonly recording: string;
  readonly noVideo: string;
  readonly back: string;
  readonly play: string;
  readonly next: string;
  readonly frame: string;
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
  readonly reading: string;
  readonly tooOld: string;
};

const en: Texts = {
  title: "A question about a game",
  choose: "Choose the exported file (.zip)",
  about: "Nothing leaves this computer: the file is verified here, without network.",
  fingerprint: "Fingerprint that you were given (64 signs), if you have it",
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
  events: "What happened",
  said: "What was said",
  booked: "Ledger",
  amounts: "Amounts are in the smallest unit of the currency, times in UTC.",
  ...{ started: "game {number} began", ended: "game {number} ended" },
  ...{ stake: "stake", win: "win", credit: "credit", press: "press", mark: "Mark of staff" },
  reading: "Verifying…",
  tooOld: "This browser cannot verify files. Open this page in a current browser.",
};

const tr: Texts = {
  title: "Bir oyunla ilgili soru",
  choose: "Dışa aktarılan dosyayı seçin (.zip)",
  about: "Bu bilgisayardan hiçbir şey çıkmaz: dosya burada, ağ olmadan doğrulanır.",
  fingerprint: "Varsa size verilen parmak izi (64 karakter)",
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
  events: "Ne oldu",
  said: "Ne söylendi",
  booked: "Defter",
  amounts: "Tutarlar para biriminin en küçük birimiyle, saatler UTC’dir.",
  ...{ started: "{number}. oyun başladı", ended: "{number}. oyun bitti" },
  ...{ stake: "bahis", win: "kazanç", credit: "kredi", press: "basış", mark: "Personelin işareti" },
  reading: "Doğrulanıyor…",
  tooOld: "Bu tarayıcı dosya doğrulayamıyor. Sayfayı güncel bir tarayıcıda açın.",
};

const ar: Texts = {
  title: "سؤال عن لعبة",
  choose: "اختر الملف المصدَّر (‎.zip)",
  about: "لا يغادر شيء هذا الحاسوب: يُتحقَّق من الملف هنا بلا شبكة.",
  fingerprint: "البصمة التي أُعطيت لك (64 علامة) إن وُجدت",
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
    meters: "عدادات الآلة متطابقة",
    ledger: "نقل الدفتر ما ربحته اللعبة أو خسرته",
  },
  proves: "ما لا يثبته هذا",
  limits: [
    "بلا بصمة قد يكون أحدهم صنع الملف كله من جديد. اطلب البصمة من الكازينو بطريق آخر؛ وهي في سجل تدقيقه أيضًا.",
    "السؤال والحكم والقيود هي ما كان لدى المنصة عند صنع الملف. لا تحميها إلا البصمة.",
    "قيود سجل التدقيق تثبت نفسها؛ أما أنها للكازينو فيُظهره سجله أو شاهد محفوظ في مكان آخر.",
    "برنامج عند الآلة يكذب من البداية يُصدَّق كأي كاميرا. وحتى يؤكده سجل التدقيق يستطيع صاحب ذلك الحاسوب صنع التسجيل من جديد.",
    "جاءت هذه الصفحة مع الملف. من لا يثق بها يفتح الملف بصفحة تصدير آخر أو بالأمر «longarm disputes verify».",
  ],
  game: "اللعبة",
  recording: "التسجيل",
  noVideo: "لا فيديو في هذا الملف، أو لا يستطيع هذا المتصفح تشغيله.",
  back: "إطار إلى الوراء",
  play: "تشغيل أو إيقاف",
  next: "إطار إلى الأمام",
  frame: "إطار",
  events: "ما حدث",
  said: "ما قيل",
  booked: "الدفتر",
  amounts: "المبالغ بأصغر وحدة من العملة، والأوقات بالتوقيت العالمي.",
  ...{ started: "بدأت اللعبة {number}", ended: "انتهت اللعبة {number}" },
  ...{ stake: "الرهان", win: "الربح", credit: "الرصيد", press: "ضغطة", mark: "علامة الموظفين" },
  reading: "يجري التحقق…",
  tooOld: "لا يستطيع هذا المتصفح التحقق من الملفات. افتح الصفحة في متصفح حديث.",
};

/** The language of the page: the browser's, of those that there are. */
export const language = (["tr", "ar"] as const).find((one) => navigator.language.startsWith(one)) ?? "en";
export const texts: Texts = { en, tr, ar }[language];
