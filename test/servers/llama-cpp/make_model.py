"""Writes a language model for llama.cpp that always generates the same text, so that a test knows what to expect.

The model is a table: each token has the tokens that follow it, the most likely first. Embeddings have one value that is
not zero, and attention and feed-forward weights are zero, so the weights of the output layer are this table. Where a
grammar excludes the first token, as in a forced tool call, the next one follows.
"""

import sys

import numpy as np
from gguf import GGUFWriter, TokenType

WIDTH = 320
HEADS = 4
INNER = 32
CONTEXT = 4096
SPECIAL = ["<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>"]
START, END, THINK, END_THINK, TOOL_CALL = range(256, 261)
# No character occurs twice, so each has one successor.
TEXT = "Rain-blue_sky."
THOUGHT = "Hm?"


def byte_tokens():
    """The 256 tokens of GPT-2's alphabet, one for each byte."""
    visible = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = (chr(256 + number) for number in range(256))
    return [chr(byte) if byte in visible else next(hidden) for byte in range(256)]


def chain(tokens):
    return {token: [following] for token, following in zip(tokens, tokens[1:])}


def successors():
    text = [ord(character) for character in TEXT]
    thought = [ord(character) for character in THOUGHT]
    def after(character, *following):
        return {ord(character): [ord(each) if isinstance(each, str) else each for each in following]}

    return {
        **chain(text),
        **chain([THINK, *thought, END_THINK, text[0]]),
        # The prompt ends with a colon. In JSON, where the grammar excludes the text, a string follows.
        **after(":", text[0], '"'),
        **after('"', text[0], ":", ",", "}"),
        **after(",", '"'),
        **after("{", '"'),
        # After the text the response ends; where it cannot, a tool call begins.
        text[-1]: [END, TOOL_CALL],
        TOOL_CALL: [ord("\n"), ord('"')],
        **after("\n", "{", "<"),
        **after("}", END, "\n"),
        **after(">", END),
    }


def output_weights(size):
    weights = np.zeros((size, WIDTH))
    for token, following in successors().items():
        for rank, next_token in enumerate(following):
            weights[next_token, token] = 8 - 2 * rank
    return weights


def write(path, template):
    tokens = byte_tokens() + SPECIAL
    writer = GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([TokenType.NORMAL] * 256 + [TokenType.CONTROL] * 2 + [TokenType.USER_DEFINED] * 3)
    writer.add_token_merges(["a b"])
    writer.add_bos_token_id(START)
    writer.add_eos_token_id(END)
    writer.add_add_bos_token(False)
    writer.add_chat_template(template)

    def add(name, values):
        writer.add_tensor(name, np.asarray(values, dtype=np.float32))

    add("token_embd.weight", np.eye(len(tokens), WIDTH))
    add("output_norm.weight", np.ones(WIDTH))
    add("output.weight", output_weights(len(tokens)))
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        add(f"blk.0.{name}.weight", np.zeros((WIDTH, WIDTH)))
    add("blk.0.ffn_gate.weight", np.zeros((INNER, WIDTH)))
    add("blk.0.ffn_up.weight", np.zeros((INNER, WIDTH)))
    add("blk.0.ffn_down.weight", np.zeros((WIDTH, INNER)))
    for name in ("attn_norm", "ffn_norm"):
        add(f"blk.0.{name}.weight", np.ones(WIDTH))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as template_file:
        write(sys.argv[1], template_file.read())
