import CTransportShims
import Glibc

/// A detached, named thread with all signals blocked.
package enum NamedThread {
  private final class Start {
    let name: String
    let body: @Sendable () -> Void

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Starts a thread. Returns an errno if that fails. The system retains 15 bytes of the name.
  package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Int32? {
    // SAFETY: the C functions read and write only these local values during the call. `start` is
    // retained until the new thread, or this one if there is none, releases it.
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))

    // A thread inherits the signal mask of its creator. The new thread must not receive signals
    // that are meant for the program's own threads.
    var all = sigset_t()
    var previous = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }

    let start = unsafe Unmanaged.passRetained(Start(name, body))
    var thread = pthread_t()
    let status = unsafe pthread_create(
      &thread, &attributes,
      { raw in
        guard let raw = unsafe raw else { return nil }
        let start = unsafe Unmanaged<Start>.fromOpaque(raw).takeRetainedValue()
        unsafe ctransport_name_thread(start.name)
        start.body()
        return nil
      }, unsafe start.toOpaque())
    if status == 0 { return nil }
    unsafe start.release()
    return status
  }
}
