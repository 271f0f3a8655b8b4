export { type ChatRequestResult, type DecodedChatRequest, decodeChatRequest } from './request/read.ts';
