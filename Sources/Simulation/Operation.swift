/// An operation of the simulated environment of a manager. Indices are taken modulo the number of
/// objects, so that a schedule remains valid after operations are removed.
public enum Operation: Hashable, Sendable {
  public enum Stream: UInt8, Hashable, Sendable, CaseIterable {
    case updates, options, distant, seldom, elsewhere, batched, live, headings, satellites
    case connections, authorizations, diagnostics
  }
  public enum Call: UInt8, Hashable, Sendable, CaseIterable {
    case location, quickLocation, knownLocation, whenInUse, always, fullAccuracy, otherAccuracy
    /// Reads the current state without a request.
    case facts
  }
  public enum Events: UInt8, Hashable, Sendable, CaseIterable {
    case fix, fixes, flood, repeated, backlog, heading, satellites, unavailable
    case connected, waiting, refusal, refusalAmidst, consent, late
  }
  public enum Decision: UInt8, Hashable, Sendable, CaseIterable {
    case whenInUse, always, once, provisional, denied, restricted, undetermined, reduced
  }

  /// An operation of gpsd or the network.
  public enum Network: UInt8, Hashable, Sendable, CaseIterable {
    case accept, refuse, hangUp, greet, garbage, stranger, devices, complaint
    case fix, fixes, halves, cut, repeated
    /// Three epochs of two reports each; the first report of one; the second; no fix.
    case twice, first, second, lost
  }

  /// Opens a stream; a task reads from it unless it is stuck.
  case open(Stream, isStuck: Bool)
  case cancelReader(Int)
  /// Drops a stream, or leaves its loop after the next element.
  case dropStream(Int)
  case call(Call)
  case cancelCall(Int)
  case emit(Events)
  case decide(Decision)
  case answer(Decision)
  case answerAccuracy(seconds: Int)
  case services(Bool)
  case use(Bool)
  case openSession(always: Bool, purpose: Bool)
  case endSession(Int)
  case finishRun
  case failRun
  case advance(seconds: Int)
  case network(Network)
  case shutdown
  case dropManager
}

extension Operation: CustomStringConvertible {
  public var description: String {
    switch self {
    case .open(let stream, let isStuck): isStuck ? "open \(stream), never read" : "open \(stream)"
    case .cancelReader(let index): "cancel reader \(index)"
    case .dropStream(let index): "drop stream \(index)"
    case .call(let call): "call \(call)"
    case .cancelCall(let index): "cancel call \(index)"
    case .emit(let events): "emit \(events)"
    case .decide(let decision): "the policy decides \(decision)"
    case .answer(let decision): "the policy answers \(decision)"
    case .answerAccuracy(let seconds): "the policy gives full accuracy for \(seconds) s"
    case .services(let areOn): "services \(areOn ? "on" : "off")"
    case .use(let isInUse): isInUse ? "in use" : "out of use"
    case .openSession(let always, let purpose):
      "open session for \(always ? "always" : "whenInUse")\(purpose ? " and full accuracy" : "")"
    case .endSession(let index): "end session \(index)"
    case .finishRun: "the run ends"
    case .failRun: "the run fails"
    case .advance(let seconds): "\(seconds) s pass"
    case .network(let happening): "gpsd: \(happening)"
    case .shutdown: "shut down"
    case .dropManager: "drop the manager"
    }
  }
}
