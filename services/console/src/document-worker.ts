import { parentPort, workerData } from 'node:worker_threads';
import type { Document } from './documents/document.ts';
import { renderReceipt } from './documents/pdf/receipt.ts';
import { renderStatement } from './documents/pdf/statement.ts';

// What it throws is an error of the thread.
void render(workerData).then((file) => parentPort?.postMessage(file, [file.buffer]));

function render(document: Document): Promise<Uint8Array<ArrayBuffer>> {
  switch (document.kind) {
    case 'statement':
      return renderStatement(document);
    case 'receipt':
      return renderReceipt(document);
    default:
      return document satisfies never;
  }
}
