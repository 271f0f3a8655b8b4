import { anthropicMessagesDriver } from '../javascript/anthropic-messages.ts';
import { geminiDriver } from '../javascript/gemini.ts';
import { openaiChatDriver } from '../javascript/openai-chat.ts';
import { openaiResponsesDriver } from '../javascript/openai-responses.ts';
import { type Driver, type Language, PROTOCOLS, type ProtocolName } from '../scenario.ts';
import { PythonDriver, preparePython } from './python-driver.ts';

/** Drivers of the official SDKs in both languages. */
export class Drivers {
  readonly #drivers = new Map<string, Driver>();
  readonly #pythons: readonly PythonDriver[];

  private constructor(pythons: readonly PythonDriver[]) {
    this.#pythons = pythons;
    const javascript = [openaiChatDriver(), openaiResponsesDriver(), anthropicMessagesDriver(), geminiDriver()];
    for (const driver of [...javascript, ...pythons]) {
      this.#drivers.set(`${driver.language} ${driver.protocol}`, driver);
    }
  }

  static async start(): Promise<Drivers> {
    const python = await preparePython();
    return new Drivers(PROTOCOLS.map((protocol) => new PythonDriver(python, protocol)));
  }

  get(language: Language, protocol: ProtocolName): Driver {
    const driver = this.#drivers.get(`${language} ${protocol}`);
    if (driver === undefined) throw new Error(`there is no driver of ${protocol} in ${language}`);
    return driver;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#pythons.map((python) => python.stop()));
  }
}
