// swift-tools-version: 6.2
import PackageDescription

let wholeModules = ["-whole-module-optimization", "-num-threads", "2"]

// A warning must not break the build of a user. Whole modules check each type once, which takes a
// quarter less time than batches but builds more after an edit. A module that is emitted separately
// is checked again. Lines are enough of the debug information.
let strictness: [SwiftSetting] =
  Context.environment["ASYNC_LOCATION_STRICT"] == nil
  ? []
  : [
    .treatAllWarnings(as: .error),
    .unsafeFlags(
      wholeModules + [
        "-require-explicit-sendable", "-no-emit-module-separately-wmo", "-gline-tables-only",
      ]),
  ]

let settings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + strictness

// The borders are under LGPL 3, so a program must be able to leave them out. A second trait would be
// given to the compiler before or after the first, at random, and each change builds everything again.
let borders: [CSetting] =
  Context.environment["ASYNC_LOCATION_WITHOUT_BORDERS"] == nil
  ? [] : [.define("WITHOUT_BORDERS")]

let package = Package(
  name: "AsyncLocation",
  products: [
    .library(name: "AsyncLocation", targets: ["AsyncLocation"]),
    .library(name: "AuthorizationPolicyFile", targets: ["AuthorizationPolicyFile"]),
    .library(name: "CombinedBackend", targets: ["CombinedBackend"]),
    .library(name: "GPSDBackend", targets: ["GPSDBackend"]),
    .library(name: "GPSDReports", targets: ["GPSDReports"]),
    .library(name: "GeoClueBackend", targets: ["GeoClueBackend"]),
    .library(name: "LocationFleet", targets: ["LocationFleet"]),
    .library(name: "LocationPublishing", targets: ["LocationPublishing"]),
    .library(name: "LocationRecording", targets: ["LocationRecording"]),
    .library(name: "LocationStorage", targets: ["LocationStorage"]),
    .library(name: "MQTTBackend", targets: ["MQTTBackend"]),
    .library(name: "MockBackend", targets: ["MockBackend"]),
    .library(name: "NMEABackend", targets: ["NMEABackend"]),
    .library(name: "NominatimGeocoder", targets: ["NominatimGeocoder"]),
    .library(name: "OfflineGeocoder", targets: ["OfflineGeocoder"]),
    .library(name: "OwnTracks", targets: ["OwnTracks"]),
    .library(name: "PostgreSQLStorage", targets: ["PostgreSQLStorage"]),
    .executable(name: "async-location-example", targets: ["async-location-example"]),
  ],
  traits: [
    .default(enabledTraits: ["LibGPS"]),
    .trait(
      name: "LibGPS",
      description: "Reads a local gpsd's shared memory through libgps; needs libgps-dev."),
  ],
  targets: [
    .target(
      name: "AsyncLocation",
      swiftSettings: settings + [.strictMemorySafety()]),
    .target(
      name: "AuthorizationPolicyFile",
      dependencies: ["AsyncLocation", "FileAccess", "JSONScanning"],
      swiftSettings: settings + [.strictMemorySafety()]),
    .target(
      name: "FileAccess",
      swiftSettings: settings + [.strictMemorySafety()]),
    .target(
      name: "JSONScanning",
      swiftSettings: settings + [
        .strictMemorySafety(), .enableExperimentalFeature("Lifetimes"),
      ]),
    .target(
      name: "GPSDReports",
      dependencies: ["AsyncLocation", "JSONScanning"],
      swiftSettings: settings + [
        .strictMemorySafety(), .enableExperimentalFeature("Lifetimes"),
      ]),
    .systemLibrary(
      name: "CGPS",
      pkgConfig: "libgps",
      providers: [.apt(["libgps-dev"])]),
    .target(
      name: "CGPSDShims",
      dependencies: [.target(name: "CGPS", condition: .when(traits: ["LibGPS"]))],
      cSettings: [.define("CGPSD_LIBGPS", .when(traits: ["LibGPS"]))]),
    .target(name: "CTransportShims"),
    .target(
      name: "LocationTransport",
      dependencies: ["AsyncLocation", "CTransportShims"],
      swiftSettings: settings + [
        .strictMemorySafety(), .enableExperimentalFeature("Lifetimes"),
      ]),
    .target(
      name: "GPSDBackend",
      dependencies: ["AsyncLocation", "CGPSDShims", "GPSDReports", "LocationTransport"],
      swiftSettings: settings + [
        .strictMemorySafety(), .enableExperimentalFeature("Lifetimes"),
      ]),
    .systemLibrary(
      name: "CSystemd",
      pkgConfig: "libsystemd",
      providers: [.apt(["libsystemd-dev"])]),
    .target(
      name: "GeoClueBackend",
      dependencies: ["AsyncLocation", "CSystemd", "LocationTransport"],
      swiftSettings: settings + [.strictMemorySafety()]),
    .target(
      name: "CombinedBackend",
      dependencies: ["AsyncLocation"],
      swiftSettings: settings + [.strictMemorySafety()]),
    .target(
      name: "LocationFleet",
      dependencies: ["AsyncLocation"],
      swiftSettings: settings + [.strictMemorySafety()]),
    .target(
      name: "LocationPublishing",
      dependencies: ["AsyncLocation"],
      swiftSettings: settings + [.strictMemorySafety()]),
    .systemLibrary(
      name: "CSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CSodium",
      pkgConfig: "libsodium",
      providers: [.apt(["libsodium-dev"])]),
    .target(
      name: "LocationStorage",
      dependencies: [
        "AsyncLocation", "CSQLite", "FileAccess", "LocationFleet", "LocationPublishing",
      ],
      swiftSettings: settings + [.strictMemorySafety()]),
    .systemLibrary(
      name: "CPQ",
      pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"])]),
    .target(
      name: "PostgreSQLStorage",
      dependencies: ["AsyncLocation", "CPQ", "FileAccess", "LocationFleet"],
      swiftSettings: settings + [.strictMemorySafety()]),
    .systemLibrary(
      name: "CExpat",
      pkgConfig: "expat",
      providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(
      name: "CZlib",
      pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"])]),
    .target(
      name: "CGround",
      exclude: ["world.ground"],
      cSettings: borders),
    .target(
      name: "NMEASentences",
      dependencies: ["AsyncLocation"],
      swiftSettings: settings + [.strictMemorySafety()]),
    .target(
      name: "NMEABackend",
      dependencies: ["AsyncLocation", "GPSDReports", "LocationTransport", "NMEASentences"],
      swiftSettings: settings + [
        .strictMemorySafety(), .enableExperimentalFeature("Lifetimes"),
      ]),
    .target(
      name: "LocationRecording",
      dependencies: [
        "AsyncLocation", "CExpat", "CGround", "CZlib", "FileAccess", "GPSDReports", "JSONScanning",
        "NMEASentences", "OwnTracks",
      ],
      swiftSettings: settings + [.strictMemorySafety()]),
    .target(
      name: "CGazetteer",
      exclude: ["places.gazetteer", "world.borders"],
      cSettings: borders),
    .target(
      name: "OfflineGeocoder",
      dependencies: ["AsyncLocation", "CGazetteer", "FileAccess"],
      swiftSettings: settings + [.strictMemorySafety()]),
    .systemLibrary(
      name: "CCurl",
      pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"])]),
    .target(
      name: "HTTPTransfer",
      dependencies: ["AsyncLocation", "CCurl"],
      swiftSettings: settings + [.strictMemorySafety()]),
    .target(
      name: "NominatimGeocoder",
      dependencies: ["AsyncLocation", "HTTPTransfer", "JSONScanning"],
      swiftSettings: settings + [.strictMemorySafety()]),
    .target(
      name: "OwnTracks",
      dependencies: ["AsyncLocation", "JSONScanning"],
      swiftSettings: settings + [
        .strictMemorySafety(), .enableExperimentalFeature("Lifetimes"),
      ]),
    .systemLibrary(
      name: "CMosquitto",
      pkgConfig: "libmosquitto",
      providers: [.apt(["libmosquitto-dev"])]),
    .systemLibrary(
      name: "COpenSSL",
      pkgConfig: "openssl",
      providers: [.apt(["libssl-dev"])]),
    .target(
      name: "CMosquittoShims",
      dependencies: ["CMosquitto", "COpenSSL"]),
    .target(
      name: "MQTTBackend",
      dependencies: [
        "AsyncLocation", "CMosquittoShims", "CSodium", "CTransportShims", "FileAccess",
        "HTTPTransfer", "LocationFleet", "LocationPublishing", "LocationTransport", "OwnTracks",
      ],
      swiftSettings: settings + [
        .strictMemorySafety(), .enableExperimentalFeature("Lifetimes"),
      ]),
    .target(
      name: "MockBackend",
      dependencies: ["AsyncLocation"],
      swiftSettings: settings),
    .target(
      name: "SampleDrive",
      dependencies: ["AsyncLocation", "MockBackend"],
      swiftSettings: settings),
    .executableTarget(
      name: "sample-drive",
      dependencies: ["AsyncLocation", "SampleDrive"],
      swiftSettings: settings),
    .target(
      name: "Simulation",
      dependencies: ["AsyncLocation", "GPSDBackend", "LocationTransport", "MockBackend"],
      swiftSettings: settings),
    .executableTarget(
      name: "simulate",
      dependencies: ["Simulation"],
      swiftSettings: settings),
    .executableTarget(
      name: "async-location-example",
      dependencies: [
        "AsyncLocation", "AuthorizationPolicyFile", "CombinedBackend", "FileAccess", "GPSDBackend",
        "GeoClueBackend", "LocationFleet", "LocationPublishing", "LocationRecording",
        "LocationStorage", "MQTTBackend", "MockBackend", "NMEABackend",
        "NominatimGeocoder", "OfflineGeocoder", "OwnTracks", "PostgreSQLStorage", "SampleDrive",
      ],
      swiftSettings: settings),
    .target(
      name: "TestSupport",
      dependencies: ["AsyncLocation", "CTestShims", "FaultInjection", "MockBackend"],
      path: "Tests/TestSupport",
      swiftSettings: settings),
    .testTarget(
      name: "AsyncLocationTests",
      dependencies: ["AsyncLocation", "MockBackend", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "AuthorizationPolicyFileTests",
      dependencies: [
        "AsyncLocation", "AuthorizationPolicyFile", "FileAccess", "MockBackend", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "FileAccessTests",
      dependencies: ["FileAccess", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "JSONScanningTests",
      dependencies: ["JSONScanning", "MockBackend", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "HTTPTransferTests",
      dependencies: ["HTTPTransfer", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "GPSDReportsTests",
      dependencies: [
        "AsyncLocation", "CGPSDShims", "GPSDReports", "JSONScanning", "MockBackend", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "LocationFleetTests",
      dependencies: ["AsyncLocation", "LocationFleet", "MockBackend", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "LocationPublishingTests",
      dependencies: ["AsyncLocation", "LocationPublishing", "MockBackend", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "LocationTransportTests",
      dependencies: [
        "AsyncLocation", "CTransportShims", "LocationTransport", "MockBackend", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "GPSDBackendTests",
      dependencies: [
        "AsyncLocation", "AuthorizationPolicyFile", "CGPSDShims", "FaultInjection", "GPSDBackend",
        "LocationRecording", "LocationTransport", "MockBackend", "SampleDrive", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "NMEASentencesTests",
      dependencies: ["AsyncLocation", "NMEASentences", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "NMEABackendTests",
      dependencies: [
        "AsyncLocation", "FaultInjection", "GPSDBackend", "LocationTransport",
        "MockBackend", "NMEABackend", "SampleDrive", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "GeoClueBackendTests",
      dependencies: [
        "AsyncLocation", "CSystemd", "GeoClueBackend", "LocationTransport", "MockBackend",
        "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "CombinedBackendTests",
      dependencies: [
        "AsyncLocation", "CombinedBackend", "GPSDBackend", "LocationRecording", "MockBackend",
        "NMEABackend", "TestSupport",
      ],
      swiftSettings: settings),
    .target(name: "CTestShims", path: "Tests/CTestShims"),
    .target(name: "FaultInjection", path: "Tests/FaultInjection"),
    // The judge of the decoder, in a process of its own.
    .executableTarget(
      name: "libgps-unpack",
      dependencies: [.target(name: "CGPS", condition: .when(traits: ["LibGPS"]))],
      path: "Tests/LibGPSUnpack",
      cSettings: [.define("CGPSD_LIBGPS", .when(traits: ["LibGPS"]))]),
    .testTarget(
      name: "LocationRecordingTests",
      dependencies: [
        "AsyncLocation", "FileAccess", "GPSDReports", "LocationRecording", "MockBackend",
        "TestSupport", "track-writer",
      ],
      swiftSettings: settings),
    // Records locations in a process that tests kill.
    .executableTarget(
      name: "track-writer",
      dependencies: ["AsyncLocation", "LocationRecording"],
      path: "Tests/track-writer",
      swiftSettings: settings),
    .testTarget(
      name: "LocationStorageTests",
      dependencies: [
        "AsyncLocation", "CSQLite", "FleetChecks", "LocationFleet", "LocationStorage",
        "MockBackend",
        "TestSupport", "monitor-writer",
      ],
      swiftSettings: settings),
    // Commits to a monitor's file in a process that tests kill.
    .executableTarget(
      name: "monitor-writer",
      dependencies: [
        "AsyncLocation", "CSQLite", "FleetChecks", "LocationPublishing", "LocationStorage",
        "MockBackend", "PostgreSQLStorage",
      ],
      path: "Tests/monitor-writer",
      swiftSettings: settings),
    .target(
      name: "FleetChecks",
      dependencies: ["AsyncLocation", "LocationFleet", "MockBackend"],
      path: "Tests/FleetChecks",
      swiftSettings: settings),
    .testTarget(
      name: "PostgreSQLStorageTests",
      dependencies: [
        "AsyncLocation", "FleetChecks", "LocationFleet", "MQTTBackend", "MockBackend",
        "PostgreSQLStorage", "TestSupport", "monitor-writer",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "MockBackendTests",
      dependencies: ["AsyncLocation", "MockBackend", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "MQTTBackendTests",
      dependencies: [
        "AsyncLocation", "CSodium", "HTTPTransfer", "LocationFleet", "LocationPublishing",
        "LocationStorage", "LocationTransport", "MQTTBackend", "MockBackend", "OwnTracks",
        "PostgreSQLStorage", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "OwnTracksTests",
      dependencies: ["AsyncLocation", "MockBackend", "OwnTracks", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "OfflineGeocoderTests",
      dependencies: [
        "AsyncLocation", "CGazetteer", "MockBackend", "OfflineGeocoder", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "NominatimGeocoderTests",
      dependencies: [
        "AsyncLocation", "HTTPTransfer", "MockBackend", "NominatimGeocoder", "OfflineGeocoder",
        "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "SampleDriveTests",
      dependencies: [
        "AsyncLocation", "LocationRecording", "MockBackend", "SampleDrive", "TestSupport",
        "sample-drive",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "SimulationTests",
      dependencies: [
        "AsyncLocation", "GPSDBackend", "MockBackend", "Simulation",
        "TestSupport", "simulate",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ExampleTests",
      dependencies: [
        "AsyncLocation", "CombinedBackend", "LocationFleet", "LocationRecording", "LocationStorage",
        "MQTTBackend", "MockBackend", "NMEABackend", "OwnTracks", "PostgreSQLStorage",
        "TestSupport", "async-location-example",
      ],
      swiftSettings: settings),
  ]
)

// Optimizes the libraries, as a user's release build does, so that tests run what users run, and
// simulations are fast.
if Context.environment["ASYNC_LOCATION_OPTIMIZED"] != nil {
  for target in package.targets
  where target.type == .regular && target.path?.hasPrefix("Tests/") != true {
    // Modules are compiled beside the optimization of those that they import.
    target.swiftSettings? += [
      .unsafeFlags(
        wholeModules + ["-O", "-assert-config", "Debug", "-emit-module-separately-wmo"])
    ]
  }
}

// Builds only the targets with these names, separated by commas, and what they depend on. For builds
// with a sanitizer, where the rest would take most of the time.
if let names = Context.environment["ASYNC_LOCATION_TARGETS"] {
  var kept: Set<String> = []
  var added = names.split(separator: ",").map(String.init)
  while let name = added.popLast() {
    guard kept.insert(name).inserted else { continue }
    guard let target = package.targets.first(where: { $0.name == name }) else {
      fatalError("ASYNC_LOCATION_TARGETS: there is no target \(name).")
    }
    for dependency in target.dependencies {
      switch dependency {
      case .byNameItem(let name, _), .targetItem(let name, _): added.append(name)
      case .productItem, _: break
      }
    }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  // Each product has the name of its target.
  package.products.removeAll { !kept.contains($0.name) }
}

// Leaves out files and folders, such as `MQTTBackendTests/Faults`, separated by spaces. For builds of
// which only some tests are run.
if let paths = Context.environment["ASYNC_LOCATION_EXCLUDED"] {
  for path in paths.split(separator: " ") {
    let parts = path.split(separator: "/", maxSplits: 1).map(String.init)
    let target = package.targets.first { $0.name == parts[0] }
    guard parts.count == 2, let target else {
      fatalError("ASYNC_LOCATION_EXCLUDED: \(path) is in no target.")
    }
    target.exclude.append(parts[1])
  }
}
