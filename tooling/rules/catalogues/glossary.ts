import type { Breach } from "../source/breach.ts";
import type { Catalogue, Language } from "./catalogue.ts";
import { pluralFormOf } from "./catalogue.ts";

/** A word that a language does not use, and what its texts say instead. */
type Forbidden = {
  readonly language: Language;
  readonly word: RegExp;
  readonly instead: string;
  /** Keys, as `area.key`, or whole areas, as `area.*`, in which the word is right. */
  readonly except?: readonly string[];
  /** Right in a text with number forms, where the form fits the number. */
  readonly inNumberForms?: true;
};

/** A Turkish word from its beginning: `\b` does not know ı, ş, ğ, ç, ö, ü. */
const turkish = (word: string) => new RegExp(`(?<!\\p{L})(?:${word})`, "iu");
const turkishWord = (word: string) => new RegExp(`(?<!\\p{L})(?:${word})(?!\\p{L})`, "iu");
/** An Arabic word with the particles that are written together with it. */
const arabic = (word: string) => new RegExp(`(?<!\\p{L})[وف]?(?:[بكل]?(?:ال)?|لل)(?:${word})(?!\\p{L})`, "u");

/**
 * One word for one thing in each language. Texts of the specification stay to the letter, so they are exceptions here.
 * Machine and wallet: en deposit to machine, withdraw to wallet; tr yükle, cüzdana aktar; ar إيداع في الماكينة, نقل إلى المحفظة.
 * Cage and wallet: the listings' Deposit and Withdraw, para yatırma and para çekme, إيداع and سحب.
 */
export const forbiddenWords: readonly Forbidden[] = [
  {
    language: "ar",
    word: arabic("جهازا?ً?|جهازان|جهازين|أجهزة"),
    instead: "ماكينة for a machine; a phone or computer is هاتف or حاسوب",
    // A maker's radio sets are devices.
    except: ["templateSample.aboutMeText"],
  },
  { language: "ar", word: arabic("آلة|آلات"), instead: "ماكينة" },
  { language: "ar", word: arabic("دورة|دورات|دوران"), instead: "لفة, لفات" },
  { language: "ar", word: arabic("ردهة|لوبي"), instead: "الصالة" },
  { language: "ar", word: arabic("بونص"), instead: "جولة المكافأة for a round, مكافأة for what the casino gives" },
  { language: "ar", word: /اً/u, instead: "the tanwin before the alef: ًا" },
  {
    language: "ar",
    word: arabic("سحب"),
    instead: "نقل إلى المحفظة; سحب is what the cage pays out",
    except: [
      "payments.*",
      "code.60101",
      "market.value_withdrawal",
      "settings.about_withdrawalReview",
      "cashier.approveTitle",
      "cashier.settleNote",
      "cashier.withdraw",
      "history.withdraw",
      "iconTags.cashOut",
      "approvals.kind_walletWithdrawal",
      "right.walletMove",
      "identity.about_refused",
      "identity.gate_withdrawal",
      "identity.mayWithdraw",
      "identity.refused",
      "identity.withdrawLater",
      "terms.closesBoth",
      "terms.closesPlay",
    ],
  },
  {
    language: "ar",
    word: /\{[a-z_]+\}\s+(?:ثانية|دقيقة|ضعف|صف|لفة)/u,
    instead: "number forms, or the noun, a colon and the number",
    inNumberForms: true,
  },
  {
    language: "tr",
    word: turkish("yatır"),
    instead: "yükle for a machine; para yatırma is what the cage takes",
    except: [
      "payments.*",
      "market.value_deposit",
      "market.value_firstDeposit",
      "history.deposit",
      "cashier.deposit",
      "players.move_deposit",
      "approvals.kind_walletDeposit",
      "saferPlay.deposit",
      "saferPlay.limitOf_deposit",
      "letters.limit_deposit",
      "letters.about_takenBack",
      "letters.about_failedDeposits",
      "code.60063",
      "players.limit_deposit",
      "right.walletMove",
      "identity.about_refused",
      "identity.depositLater",
      "identity.gate_deposit",
      "identity.mayDeposit",
      "terms.closesBoth",
    ],
  },
  {
    language: "tr",
    word: turkish("çek(?:il|ildi|iliyor|me|ti|in|ip|en|er|mek)?(?!\\p{L})"),
    instead: "cüzdana aktar for a machine; para çekme is what the cage pays out",
    // The arm of the log-in card is pulled.
    except: [
      "payments.*",
      "market.value_withdrawal",
      "history.withdraw",
      "auth.pull",
      "cashier.withdraw",
      "approvals.kind_walletWithdrawal",
      "right.walletMove",
      "identity.gate_withdrawal",
      "identity.withdrawLater",
    ],
  },
  { language: "tr", word: turkishWord("veya"), instead: "ya da" },
  { language: "tr", word: turkish("kumarhane"), instead: "casino or salon" },
  { language: "tr", word: turkishWord("sına|sınanıyor|sınanmadı|sınandı"), instead: "test et" },
  { language: "tr", word: turkishWord("konuk"), instead: "misafir" },
  {
    language: "tr",
    word: /access_token|(?<!\p{L})token/iu,
    instead: "what it means for the player",
    except: ["logType.*"],
  },
  { language: "ar", word: /access_token/u, instead: "what it means for the player" },
  {
    language: "en",
    word: /\p{L}'\p{L}/u,
    instead: "the curly apostrophe ’",
    except: ["code.10", "lock.deactiveContent"],
  },
  { language: "en", word: /\bby the house\b|\bthe house\b/i, instead: "the casino" },
  {
    language: "en",
    word: /\{amount\}(?: of \{asked\})? (?:is|are) (?:on|in) /,
    instead: "what moved: was added to, was moved to",
  },
  { language: "tr", word: /\{amount\} (?:makinede|cüzdanınızda)\.?$/u, instead: "what moved: yüklendi, aktarıldı" },
  { language: "ar", word: /^أصبح (?:مبلغ|\{amount\})/u, instead: "what moved: أُضيف, نُقل" },
  {
    language: "en",
    word: /^(?:Deposit|Withdraw) \{amount\}$/,
    instead: "to where: to machine, to wallet; alone it is what the cage does",
    except: ["payments.*"],
  },
  { language: "en", word: /\bThe (?:least|most)\b/, instead: "the minimum, the maximum per transfer" },
  { language: "en", word: /\bput(?:ting)? (?:money )?in\b/i, instead: "deposit to a machine" },
  { language: "en", word: /\bmeters show\b/i, instead: "what the player has to check before the next press" },
  { language: "en", word: /\bbonus is yours\b/i, instead: "that a bonus round began: the other reads as money won" },
  { language: "tr", word: turkish("bonus sizin"), instead: "bonus oyunu başladı: the other reads as money won" },
  { language: "tr", word: turkish("görevli ödemesi"), instead: "elden ödeme" },
  { language: "tr", word: turkishWord("bant|bandı"), instead: "kredi değeri" },
  { language: "tr", word: turkish("[iİ]ndirim"), instead: "kayıp iadesi", except: ["iconTags.discount"] },
  { language: "tr", word: turkish("yasaklan"), instead: "engellen: an account is not forbidden" },
  { language: "tr", word: /%\s+\{/u, instead: "the sign before the number without a space" },
  { language: "en", word: /\}\s+%/u, instead: "the sign behind the number without a space" },
];

/** Texts that use a word which the glossary forbids in their language. */
export function glossaryBreaches(catalogues: readonly Catalogue[]): Breach[] {
  return catalogues.flatMap(({ path, language, area, texts }) =>
    forbiddenWords
      .filter((rule) => rule.language === language && !rule.except?.includes(`${area}.*`))
      .flatMap(({ word, instead, inNumberForms, except = [] }) =>
        Array.from(texts)
          .filter(([key, text]) => word.test(String(text)) && !except.includes(`${area}.${key}`))
          .filter(([key]) => !(inNumberForms && pluralFormOf(key)))
          .map(([key, text]) => ({
            path,
            sentence: `says "${word.exec(String(text))?.[0]}" in "${key}": write ${instead}.`,
          })),
      ),
  );
}
