// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "vehicle",
  dependencies: [
    .package(name: "async-location", path: "../.."),
    .package(path: "../program-run"),
  ],
  targets: [
    .target(
      name: "VehicleService",
      dependencies: [
        .product(name: "AsyncLocation", package: "async-location"),
        .product(name: "LocationRecording", package: "async-location"),
        .product(name: "MQTTBackend", package: "async-location"),
      ]),
    .executableTarget(
      name: "vehicle",
      dependencies: [
        "VehicleService",
        .product(name: "AsyncLocation", package: "async-location"),
        .product(name: "AuthorizationPolicyFile", package: "async-location"),
        .product(name: "GPSDBackend", package: "async-location"),
        .product(name: "LocationRecording", package: "async-location"),
        .product(name: "LocationStorage", package: "async-location"),
        .product(name: "MQTTBackend", package: "async-location"),
        .product(name: "OwnTracks", package: "async-location"),
      ]),
    .testTarget(
      name: "VehicleServiceTests",
      dependencies: [
        "VehicleService", "vehicle",
        .product(name: "ProgramRun", package: "program-run"),
        .product(name: "AsyncLocation", package: "async-location"),
        .product(name: "LocationRecording", package: "async-location"),
        .product(name: "MQTTBackend", package: "async-location"),
        .product(name: "MockBackend", package: "async-location"),
        .product(name: "OwnTracks", package: "async-location"),
      ]),
  ]
)
