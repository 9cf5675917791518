import AsyncLocation
import CCurl
import Dispatch

/// Runs the transfers of one client on one thread, which exists while there are transfers.
final class TransferLoop: Sendable {
  private struct State: Sendable {
    var starting: [HTTPExchange] = []
    var isRunning = false
    /// Created by the first run, on ``queue``, because libcurl reads files when it is initialized.
    var multi: MultiHandle?
  }

  /// A serial queue always gets a thread; the shared concurrent queues wait for a free core.
  private let queue = DispatchQueue(label: "HTTP transfers")
  private let state = Locked(State())
  private let connectionLimit: Int
  private let idleLimit: Int

  init(connectionLimit: Int, idleLimit: Int) {
    (self.connectionLimit, self.idleLimit) = (connectionLimit, idleLimit)
  }

  func start(_ exchange: HTTPExchange) {
    let wasRunning = state.withLock { state in
      state.starting.append(exchange)
      defer { state.isRunning = true }
      return state.isRunning
    }
    if wasRunning { wake() } else { queue.async { self.run() } }
  }

  /// Wakes the loop, which then removes transfers whose callers have their results.
  func wake() { state.withLock(\.multi)?.wake() }

  /// Runs the loop on ``queue`` until there are no transfers.
  private func run() {
    let multi = multiHandle()
    var transfers: [CurlTransfer] = []
    while let new = takeNew(isIdle: transfers.isEmpty) {
      for exchange in new where exchange.isOpen {
        let transfer = CurlTransfer(exchange)
        multi.add(transfer)
        transfers.append(transfer)
      }
      multi.perform(transfers)
      transfers.removeAll { transfer in
        guard !transfer.exchange.isOpen else { return false }
        multi.remove(transfer)
        return true
      }
      if !transfers.isEmpty { multi.waitForActivity() }
    }
  }

  /// Returns the handle, which the first run creates. Called on ``queue``.
  private func multiHandle() -> MultiHandle {
    if let multi = state.withLock(\.multi) { return multi }
    let multi = MultiHandle(connectionLimit: connectionLimit, idleLimit: idleLimit)
    state.withLock { $0.multi = multi }
    return multi
  }

  /// Takes the exchanges to start. Returns nil, which ends the loop, if there are none and the loop
  /// has no transfers.
  private func takeNew(isIdle: Bool) -> [HTTPExchange]? {
    state.withLock { state in
      guard !isIdle || !state.starting.isEmpty else {
        state.isRunning = false
        return nil
      }
      defer { state.starting = [] }
      return state.starting
    }
  }
}

/// A multi handle of libcurl: concurrent transfers that share their connections.
@safe
private final class MultiHandle: @unchecked Sendable {
  // SAFETY: the pointer is constant. `curl_multi_wakeup` may be called from any thread; the other
  // functions are called only by the loop.
  private let handle: UnsafeMutableRawPointer?

  init(connectionLimit: Int, idleLimit: Int) {
    _ = Self.library
    unsafe handle = curl_multi_init()
    guard let handle = unsafe handle else { return }
    unsafe _ = ccurl_set_limit(handle, CURLMOPT_MAX_TOTAL_CONNECTIONS, connectionLimit)
    unsafe _ = ccurl_set_limit(handle, CURLMOPT_MAXCONNECTS, idleLimit)
  }

  deinit { if let handle = unsafe handle { unsafe _ = curl_multi_cleanup(handle) } }

  /// The result of libcurl's initialization, which runs once in the process.
  private static let library = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  func wake() { if let handle = unsafe handle { unsafe _ = curl_multi_wakeup(handle) } }

  /// Starts a transfer. Ends it immediately if libcurl rejects it.
  func add(_ transfer: CurlTransfer) {
    guard let handle = unsafe handle, let easy = unsafe transfer.handle,
      unsafe curl_multi_add_handle(handle, easy) == CURLM_OK
    else { return transfer.end(CURLE_OUT_OF_MEMORY) }
  }

  func remove(_ transfer: CurlTransfer) {
    guard let handle = unsafe handle, let easy = unsafe transfer.handle else { return }
    unsafe _ = curl_multi_remove_handle(handle, easy)
  }

  /// Sends and receives without blocking, and ends the transfers that are complete.
  func perform(_ transfers: [CurlTransfer]) {
    guard let handle = unsafe handle else { return }
    var count: Int32 = 0
    unsafe _ = curl_multi_perform(handle, &count)
    while let message = unsafe curl_multi_info_read(handle, &count) {
      guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
      let ended = transfers.first { unsafe $0.handle == message.pointee.easy_handle }
      unsafe ended?.end(message.pointee.data.result)
    }
  }

  /// Waits until a transfer can proceed, or until `wake()` is called.
  func waitForActivity() {
    if let handle = unsafe handle { unsafe _ = curl_multi_poll(handle, nil, 0, .max, nil) }
  }
}
