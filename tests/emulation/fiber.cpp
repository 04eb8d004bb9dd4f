#include "tests/emulation/fiber.h"

#include <sys/mman.h>
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "mdh/support/diagnostic.h"

// Saves the registers that a function has to keep, and the stack pointer in *from; goes on where
// `to` was saved. swapcontext() would do, but it calls the kernel each time.
extern "C" void mdh_emulation_switch(void** from, void* to);
// Where a new fiber begins: calls the function in the first kept register with the second one.
extern "C" void mdh_emulation_start();

#if defined(__x86_64__)
asm(R"(
.text
.globl mdh_emulation_switch
.type mdh_emulation_switch, @function
mdh_emulation_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size mdh_emulation_switch, .-mdh_emulation_switch
.globl mdh_emulation_start
.type mdh_emulation_start, @function
mdh_emulation_start:
  movq %rbx, %rdi
  callq *%rbp
  ud2
.size mdh_emulation_start, .-mdh_emulation_start
)");
#elif defined(__aarch64__)
asm(R"(
.text
.globl mdh_emulation_switch
.type mdh_emulation_switch, %function
mdh_emulation_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size mdh_emulation_switch, .-mdh_emulation_switch
.globl mdh_emulation_start
.type mdh_emulation_start, %function
mdh_emulation_start:
  mov x0, x20
  blr x19
  brk #1
.size mdh_emulation_start, .-mdh_emulation_start
)");
#endif

namespace mdh::emulation {
namespace {

/// Bytes of a new stack that are filled.
constexpr size_t poisoned_bytes = 8192;

using Entry = void (*)(void*);

// The stack of a fiber that has not begun: as if it had just called mdh_emulation_switch.
#if defined(__x86_64__)
void* prepared(const Stack& stack, Entry entry, void* argument) {
  auto* top = reinterpret_cast<void**>(stack.end()) - 2;  // calls find it aligned to 16 bytes
  *--top = reinterpret_cast<void*>(mdh_emulation_start);
  *--top = reinterpret_cast<void*>(entry);  // rbp
  *--top = argument;                        // rbx
  for (int n = 0; n < 4; ++n) *--top = nullptr;
  return top;
}
#elif defined(__aarch64__)
void* prepared(const Stack& stack, Entry entry, void* argument) {
  auto* top = reinterpret_cast<void**>(stack.end()) - 20;
  std::memset(top, 0, 160);
  top[0] = reinterpret_cast<void*>(entry);                 // x19
  top[1] = argument;                                       // x20
  top[11] = reinterpret_cast<void*>(mdh_emulation_start);  // x30
  return top;
}
#else
void begin_in_context(unsigned entry_high, unsigned entry_low, unsigned argument_high,
                      unsigned argument_low) {
  const auto joined = [](unsigned high, unsigned low) {
    return reinterpret_cast<void*>(static_cast<uintptr_t>(uint64_t{high} << 32 | low));
  };
  reinterpret_cast<Entry>(joined(entry_high, entry_low))(joined(argument_high, argument_low));
}

void* prepared(const Stack& stack, Entry entry, void* argument) {
  auto* context = new (stack.begin()) ucontext_t;  // at the far end of the stack
  getcontext(context);
  context->uc_stack.ss_sp = stack.begin() + sizeof(ucontext_t) + 64;
  context->uc_stack.ss_size = Stack::bytes - sizeof(ucontext_t) - 64;
  context->uc_link = nullptr;
  const auto e = reinterpret_cast<uint64_t>(entry), a = reinterpret_cast<uint64_t>(argument);
  makecontext(context, reinterpret_cast<void (*)()>(begin_in_context), 4,
              static_cast<unsigned>(e >> 32), static_cast<unsigned>(e),
              static_cast<unsigned>(a >> 32), static_cast<unsigned>(a));
  return context;
}
#endif

}  // namespace
}  // namespace mdh::emulation

#if !defined(__x86_64__) && !defined(__aarch64__)
extern "C" void mdh_emulation_switch(void** from, void* to) {
  ucontext_t here;
  *from = &here;
  swapcontext(&here, static_cast<ucontext_t*>(to));
}
#endif

namespace mdh::emulation {

Stack::Stack() {
  void* memory = mmap(nullptr, guard_bytes + bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) missing("", "no memory for the stack of an item");
  memory_ = static_cast<char*>(memory);
  mprotect(memory_, guard_bytes, PROT_NONE);
}

Stack::~Stack() { munmap(memory_, guard_bytes + bytes); }

void Fiber::begin(const Stack& stack, int poison, std::function<void()> function) {
  std::memset(stack.end() - poisoned_bytes, poison, poisoned_bytes);
  function_ = std::move(function);
  has_ended_ = false;
  own_ = prepared(
      stack, [](void* fiber) { enter(static_cast<Fiber*>(fiber)); }, this);
}

void Fiber::enter(Fiber* fiber) {
  fiber->function_();
  fiber->has_ended_ = true;
  fiber->pause();
  std::abort();  // nobody resumes what has ended
}

void Fiber::resume() { mdh_emulation_switch(&caller_, own_); }

void Fiber::pause() { mdh_emulation_switch(&own_, caller_); }

}  // namespace mdh::emulation
