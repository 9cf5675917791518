import MockBackend

/// An operation of the simulated environment of a manager. Indices are taken modulo the number of
/// objects, so that a schedule remains valid after operations are removed.
public enum Operation: Hashable, Sendable {
  /// A stream of the manager; `diagnostics` belongs to a session. `distant` has a distance filter,
  /// `seldom` a minimum interval, `elsewhere` another receiver, `batched` a maximum age, and
  /// `options` none of these.
  public enum Stream: UInt8, Hashable, Sendable, CaseIterable {
    case updates, options, distant, seldom, elsewhere, batched, live, headings, satellites
    case connections, authorizations, diagnostics, events
  }
  /// A call of the manager. `quickLocation` has a short timeout; `knownLocation` has a timeout of 0
  /// and accepts an earlier location. `otherAccuracy` names another purpose than `fullAccuracy`.
  public enum Call: UInt8, Hashable, Sendable, CaseIterable {
    case location, quickLocation, knownLocation, whenInUse, always, fullAccuracy, otherAccuracy
    /// Reads the current state without a request.
    case facts
  }
  /// Events of the backend. `flood`: more fixes than a buffer holds. `repeated`, `backlog`: a
  /// reconnection, then a fix with the time of the last one, or fixes with up to the last five
  /// times. `refusalAmidst`: a refusal between fixes. `late`: a fix of a run that has ended.
  public enum Events: UInt8, Hashable, Sendable, CaseIterable {
    case fix, fixes, flood, repeated, backlog, heading, satellites, unavailable
    case connected, waiting, refusal, refusalAmidst, consent, late
  }
  /// A decision of the policy. `reduced`: permission while in use, with reduced accuracy.
  public enum Decision: UInt8, Hashable, Sendable, CaseIterable {
    case whenInUse, always, once, provisional, denied, restricted, undetermined, reduced
  }

  /// An operation of gpsd or the network.
  public enum Network: UInt8, Hashable, Sendable, CaseIterable {
    /// `stranger`: the answer of a server that is not gpsd. `complaint`: an error report.
    case accept, refuse, hangUp, greet, garbage, stranger, devices, complaint
    /// `fixes`: two reports of one epoch. `halves`: a report in two parts. `cut`: an incomplete
    /// report, after which gpsd hangs up. `repeated`: another report of the last epoch.
    case fix, fixes, halves, cut, repeated
    /// `twice`: three epochs of two reports each. `first`, `second`: one of the two reports of an
    /// epoch. `lost`: a report without a fix.
    case twice, first, second, lost
  }

  /// An operation of a monitor, its consumers, its storage or its process.
  public enum Monitoring: Hashable, Sendable {
    /// The shape of a condition that is added. The areas are circles around two points of a road.
    public enum Shape: UInt8, Hashable, Sendable, CaseIterable {
      case small, wide, distant, dwelling, expiring
    }
    public enum Assumption: UInt8, Hashable, Sendable, CaseIterable {
      case unknown, satisfied, unsatisfied
    }
    /// A position on the road, and the accuracy of the fix.
    public enum Place: UInt8, Hashable, Sendable, CaseIterable {
      case center, innerEdge, sharpInnerEdge, outerEdge, between, wideEdge, away, distant, coarse
    }

    /// Opens a monitor if none is open; starts a process if none runs.
    case open
    case close
    /// Drops the monitor without closing it.
    case release
    /// Kills the process. Only the written content of the storage remains.
    case crash
    case add(Int, Shape, Assumption)
    case addAll(Assumption)
    case remove(Int)
    case removeAll
    /// One second passes, and the backend reports a fix.
    case fix(Place)
    /// Time passes, and the backend reports a fix at the last place.
    case stay(seconds: Int)
    case consume
    /// Leaves a consumer's loop after the next event.
    case leaveLoop(Int)
    case cancelConsumer(Int)
    case storage(works: Bool)
  }

  /// Opens a stream; a task reads from the stream unless `isUnread` is true.
  case open(Stream, isUnread: Bool)
  case cancelReader(Int)
  /// Drops a stream, or leaves its loop after the next element.
  case dropStream(Int)
  case call(Call)
  case cancelCall(Int)
  case emit(Events)
  /// The policy reports a decision without a request.
  case decide(Decision)
  /// The policy answers the pending request for permission.
  case answer(Decision)
  /// The policy answers the pending request for full accuracy; 0 refuses it.
  case answerAccuracy(seconds: Int)
  /// Turns location services on or off.
  case services(Bool)
  /// The application comes into use or goes out of use.
  case use(Bool)
  /// Opens a session; with `purpose`, it also requests full accuracy.
  case openSession(always: Bool, purpose: Bool)
  case endSession(Int)
  case finishRun
  case failRun
  case advance(seconds: Int)
  case network(Network)
  case monitor(Monitoring)
  case shutdown
  case dropManager
}

extension Operation: CustomStringConvertible {
  public var description: String {
    switch self {
    case .open(let stream, let isUnread): isUnread ? "open \(stream), never read" : "open \(stream)"
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
    case .network(let operation): "gpsd: \(operation)"
    case .monitor(let operation): "monitor: \(operation)"
    case .shutdown: "shut down"
    case .dropManager: "drop the manager"
    }
  }
}

extension Operation.Monitoring {
  /// The same operation with random arguments.
  func varied(_ random: inout SplitMix64) -> Self {
    func any<Value: CaseIterable>(_: Value.Type) -> Value where Value.AllCases == [Value] {
      Value.allCases[random.below(Value.allCases.count)]
    }
    return switch self {
    case .add: .add(random.below(3), any(Shape.self), any(Assumption.self))
    case .addAll: .addAll(any(Assumption.self))
    case .remove: .remove(random.below(3))
    case .fix: .fix(any(Place.self))
    case .stay: .stay(seconds: 1 + random.below(8))
    case .leaveLoop: .leaveLoop(random.below(4))
    case .cancelConsumer: .cancelConsumer(random.below(4))
    case .open, .close, .release, .crash, .removeAll, .consume, .storage: self
    }
  }

  /// A unique number for each operation.
  var code: Int {
    switch self {
    case .open: 0
    case .close: 1
    case .release: 2
    case .crash: 3
    case .removeAll: 4
    case .consume: 5
    case .storage(let works): works ? 6 : 7
    case .addAll(let assumption): 10 + Int(assumption.rawValue)
    case .remove(let index): 20 + index
    case .fix(let place): 30 + Int(place.rawValue)
    case .stay(let seconds): 40 + seconds
    case .leaveLoop(let index): 50 + index
    case .cancelConsumer(let index): 60 + index
    case .add(let index, let shape, let assumption):
      100 + index * 100 + Int(shape.rawValue) * 10 + Int(assumption.rawValue)
    }
  }
}

extension Operation.Monitoring: CustomStringConvertible {
  public var description: String {
    switch self {
    case .open: "open"
    case .close: "close"
    case .release: "release"
    case .crash: "the process is killed"
    case .add(let index, let shape, let assumption): "add \(index), \(shape), as \(assumption)"
    case .addAll(let assumption): "add all as \(assumption)"
    case .remove(let index): "remove \(index)"
    case .removeAll: "remove all"
    case .fix(let place): "fix at \(place)"
    case .stay(let seconds): "another fix after \(seconds) s"
    case .consume: "consume"
    case .leaveLoop(let index): "leave loop \(index)"
    case .cancelConsumer(let index): "cancel consumer \(index)"
    case .storage(let works): "the storage \(works ? "works" : "fails")"
    }
  }
}
